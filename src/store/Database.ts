/**
 * The one way to the database: writes are committed in groups, and an operation that returned is on the disk.
 * Everything in `store/` stands on it, over any `SqlClient`; which one is `layers/`' choice.
 */
import type { Effect } from "effect"
import { Context } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreError } from "../domain/Errors.ts"

export class Database extends Context.Service<
  Database,
  {
    readonly sql: SqlClient.SqlClient
    /**
     * Runs the body within a transaction that it may share with others: the first body of a tick opens it, those that come
     * while it runs join the next, and no timer delays a lone one. Returns when the transaction is on the disk. A body that
     * fails takes back its own writes and no other's. It must not wait for anything but SQL.
     */
    readonly write: <A, E>(
      operation: string,
      body: Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, { readonly _tag: "SqlError" }> | StoreError>
    /** Runs a query outside of any transaction. */
    readonly read: <A, E>(
      operation: string,
      query: Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, { readonly _tag: "SqlError" }> | StoreError>
    /** For the status. `lastError` is null again after the first operation that went well. */
    readonly health: Effect.Effect<StoreHealth>
  }
>()("evergate/store/Database") {}

export interface StoreHealth {
  readonly ok: boolean
  /** Without credentials. */
  readonly url: string
  readonly bytes: number
  readonly lastError: string | null
}
