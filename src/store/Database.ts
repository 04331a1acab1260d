/**
 * The one way to the database: writes are committed in groups, and an operation that returned is on the disk.
 * Everything in `store/` stands on it, over any `SqlClient`; which one is `layers/`' choice.
 */
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { StoreError } from "../domain/Errors.ts"
import * as Committer from "./committer.ts"
import { migrate } from "./migrations.ts"
import { fromSqlError, isLocked, patience } from "./storeError.ts"

/** What is left of an error when the database's own have become `StoreError`s. */
export type Failure<E> = Exclude<E, { readonly _tag: "SqlError" }> | StoreError

export class Database extends Context.Service<
  Database,
  {
    readonly sql: SqlClient.SqlClient
    /**
     * Runs the body within a transaction that it may share with others: the first body of a tick opens it, those that come
     * while it runs join the next, and no timer delays a lone one. Returns when the transaction is on the disk. A body that
     * fails takes back its own writes and no other's. It must not wait for anything but SQL, and it may run more than once
     * until it is committed.
     */
    readonly write: <A, E>(operation: string, body: Effect.Effect<A, E>) => Effect.Effect<A, Failure<E>>
    /** Runs a query outside of any transaction. */
    readonly read: <A, E>(operation: string, query: Effect.Effect<A, E>) => Effect.Effect<A, Failure<E>>
    /** The last write went well, as far as the database goes. */
    readonly takesWrites: Effect.Effect<boolean>
    /** For the status. `lastError` is null again after the first operation of its kind that went well. */
    readonly health: Effect.Effect<StoreHealth>
  }
>()("evergate/store/Database") {
  /** Brings the tables up to date, then serves. `url` is what the status shows: without credentials. */
  static readonly layer = (options: { readonly url: string }): Layer.Layer<Database, StoreError, SqlClient.SqlClient> =>
    Layer.effect(Database, make(options.url))
}

export interface StoreHealth {
  /** It takes writes. */
  readonly ok: boolean
  /** Without credentials. */
  readonly url: string
  readonly bytes: number
  readonly lastError: string | null
}

/** Spans a statement cost more than the statement, and nobody asks for them one by one. */
const quietly = Effect.withTracerEnabled(false)

const make = Effect.fnUntraced(function* (url: string) {
  const sql = yield* SqlClient.SqlClient
  yield* quietly(migrate(sql, url))

  // Kept apart: a full disk still reads well, and that must not make the store look sound.
  const lastErrors: Record<"read" | "write", string | null> = { read: null, write: null }
  const settle = <A, E>(kind: "read" | "write", operation: string, exit: Exit.Exit<A, E>): Exit.Exit<A, Failure<E>> => {
    const error = sqlErrorOf(exit)
    const failed = error === null ? null : fromSqlError(operation, error)
    lastErrors[kind] = failed === null ? null : failed.message
    // Without an `SqlError` in it the exit's errors are those of `Failure<E>`.
    return failed === null ? (exit as Exit.Exit<A, Failure<E>>) : Exit.fail(failed)
  }

  const committer = yield* Committer.make(sql)
  const write = <A, E>(operation: string, body: Effect.Effect<A, E>) =>
    committer(body, (exit: Exit.Exit<A, E | SqlError.SqlError>) => settle("write", operation, exit))

  const read = <A, E>(operation: string, query: Effect.Effect<A, E>): Effect.Effect<A, Failure<E>> => {
    const once = Effect.exit(quietly(query))
    // A schedule is begun only where there is a lock to wait for: reads stand on every message's way.
    const patiently = Effect.exit(
      Effect.retry(quietly(query), {
        schedule: patience,
        while: (error) => SqlError.isSqlError(error) && isLocked(error)
      })
    )
    return Effect.flatMap(once, (exit) => {
      const error = sqlErrorOf(exit)
      return error !== null && isLocked(error)
        ? Effect.flatMap(patiently, (last) => settle("read", operation, last))
        : settle("read", operation, exit)
    })
  }

  const health = quietly(bytes(sql)).pipe(
    Effect.exit,
    Effect.map((exit): StoreHealth => {
      const measured = Exit.isSuccess(exit) ? null : `size: ${Cause.pretty(exit.cause)}`
      const lastError = lastErrors.write ?? lastErrors.read ?? measured
      return { ok: lastErrors.write === null, url, bytes: Exit.isSuccess(exit) ? exit.value : 0, lastError }
    })
  )

  return Database.of({ sql, write, read, takesWrites: Effect.sync(() => lastErrors.write === null), health })
})

/** Also where it became a defect, as that of a transaction that could not be rolled back does. */
const sqlErrorOf = (exit: Exit.Exit<unknown, unknown>): SqlError.SqlError | null => {
  if (Exit.isSuccess(exit)) return null
  const error = Cause.squash(exit.cause)
  return SqlError.isSqlError(error) ? error : null
}

const bytes = (sql: SqlClient.SqlClient) =>
  sql
    .onDialectOrElse({
      pg: () => sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`,
      orElse: () =>
        sql<{ bytes: number }>`SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()`
    })
    .pipe(Effect.map(([row]) => Number(row?.bytes ?? 0)))
