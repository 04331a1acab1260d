/** A connection of `effect/sql` over `node:sqlite`: synchronous, so it runs under a virtual clock, and nothing waits inside a transaction. */
import { Effect, Predicate, Stream } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"

/** More than the store has statements; the least recently used goes first. */
const cachedStatements = 256

/** What went wrong in the classes of `effect/sql`, which looks for SQLite's code in `errno`; node:sqlite says `errcode`. */
export const sqlError = (operation: string, cause: unknown): SqlError.SqlError => {
  const message = Predicate.hasProperty(cause, "message") ? String(cause.message) : String(cause)
  const coded =
    Predicate.hasProperty(cause, "errcode") && Predicate.isError(cause)
      ? Object.assign(cause, { errno: cause.errcode })
      : cause
  return new SqlError.SqlError({ reason: SqlError.classifySqliteError(coded, { message, operation }) })
}

const toInput = (value: unknown): SQLInputValue => {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  // Whatever else it cannot bind, node:sqlite refuses with an error of its own.
  return value as SQLInputValue
}

const makeCache = (db: DatabaseSync) => {
  const statements = new Map<string, StatementSync>()
  return (sql: string): StatementSync => {
    const known = statements.get(sql)
    // Set again, so that the map's order is the order of use.
    if (known !== undefined) statements.delete(sql)
    const statement = known ?? db.prepare(sql)
    statements.set(sql, statement)
    if (statements.size > cachedStatements) {
      for (const oldest of statements.keys()) {
        statements.delete(oldest)
        break
      }
    }
    return statement
  }
}

type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

/** Lends the database to `effect/sql`; who opened it closes it. */
export const make = (db: DatabaseSync): SqlConnection.Connection => {
  const cached = makeCache(db)
  const fresh = (sql: string) => db.prepare(sql)

  const run = <A>(sql: string, prepare: (sql: string) => StatementSync, use: (statement: StatementSync) => A) =>
    Effect.withFiber<A, SqlError.SqlError>((fiber) =>
      Effect.try({
        try: () => {
          const statement = prepare(sql)
          statement.setReadBigInts(fiber.getRef(SqlClient.SafeIntegers))
          return use(statement)
        },
        catch: (cause) => sqlError("execute", cause)
      })
    )

  const rows = (params: ReadonlyArray<unknown>, transform: Transform) => (statement: StatementSync) => {
    statement.setReturnArrays(false)
    const found = statement.all(...params.map(toInput))
    return transform === undefined ? found : transform(found)
  }
  const values = (params: ReadonlyArray<unknown>) => (statement: StatementSync) => {
    statement.setReturnArrays(true)
    // With `setReturnArrays` each row is an array; the types of node:sqlite know only of objects.
    return statement.all(...params.map(toInput)) as unknown as ReadonlyArray<ReadonlyArray<unknown>>
  }

  return {
    execute: (sql, params, transform) => run(sql, cached, rows(params, transform)),
    executeRaw: (sql, params) => run(sql, cached, (statement) => statement.run(...params.map(toInput))),
    executeValues: (sql, params) => run(sql, cached, values(params)),
    executeValuesUnprepared: (sql, params) => run(sql, fresh, values(params)),
    executeUnprepared: (sql, params, transform) => run(sql, fresh, rows(params, transform)),
    // Read at once: a statement that is being stepped would keep every other writer of the connection from committing.
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(run(sql, fresh, rows(params, transform)))
  }
}
