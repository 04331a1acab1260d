/**
 * One database for all lives of the gateway, in memory, and what fails about it. A life that was killed is fenced: nothing
 * of it is written or read any more, and what it had begun to write is rolled back.
 */
import { Effect, Layer } from "effect"
import { DatabaseSync } from "node:sqlite"
import * as Sqlite from "../../layers/Sqlite.ts"
import { sqlError } from "../../layers/sqliteConnection.ts"
import { Database } from "../../store/Database.ts"
import { fromSqlError } from "../../store/storeError.ts"
import type { StoreError } from "../../domain/Errors.ts"
import type { Rows } from "./rows.ts"
import { makeRows } from "./rows.ts"
import type { Process } from "./virtualTime.ts"

/**
 * `writes`: the disk is full, and what is written is taken back. `answers`: it is written, and said not to be.
 * `everything`: nothing is read either.
 */
export type StoreTrouble = "writes" | "answers" | "everything"

export interface SharedStore {
  readonly rows: Rows
  /** The service, for one life. */
  readonly layer: (life: Process) => Layer.Layer<Database>
  readonly trouble: (trouble: StoreTrouble | null) => void
  readonly isTroubled: () => boolean
  /** The process that used it is gone: what it had not committed is too. */
  readonly crash: () => void
  readonly close: () => void
}

export const makeSharedStore = (): SharedStore => {
  const db = new DatabaseSync(":memory:")
  let trouble: StoreTrouble | null = null
  let rows: Rows | null = null

  const played = (life: Process, database: Database["Service"]): Database["Service"] => ({
    ...database,
    write: (operation, body) =>
      Effect.suspend(() => {
        if (!life.isAlive()) return Effect.never
        if (trouble === "everything") return failed(operation)
        if (trouble === "answers") return Effect.andThen(database.write(operation, body), failed(operation))
        // The body runs, and the disk is full when it comes to keeping it.
        return database.write(operation, trouble === null ? body : Effect.andThen(body, diskFull))
      }),
    read: (operation, query) =>
      Effect.suspend(() => {
        if (!life.isAlive()) return Effect.never
        return trouble === "everything" ? failed(operation) : database.read(operation, query)
      })
  })

  return {
    // The first life makes the tables.
    get rows() {
      return (rows ??= makeRows(db))
    },
    layer: (life) =>
      Layer.effect(
        Database,
        Effect.map(Database, (database) => Database.of(played(life, database)))
      ).pipe(
        Layer.provide(Database.layer({ url: "sqlite::memory:" })),
        Layer.provide(Sqlite.layerOver(db)),
        // Tables in memory can always be made.
        Layer.orDie
      ),
    trouble: (next) => {
      trouble = next
    },
    isTroubled: () => trouble !== null,
    crash: () => {
      if (db.isTransaction) db.exec("ROLLBACK")
    },
    close: () => db.close()
  }
}

const full = sqlError("execute", Object.assign(new Error("database or disk is full"), { errcode: 13 }))
const diskFull = Effect.fail(full)
const failed = (operation: string): Effect.Effect<never, StoreError> => Effect.fail(fromSqlError(operation, full))
