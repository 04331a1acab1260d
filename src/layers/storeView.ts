/** The database as it can be looked at beside a gateway that writes to it: on a connection that cannot write. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, statfsSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { StoreView } from "../doctor/Machine.ts"
import type { StoreError } from "../domain/Errors.ts"
import { newest, refuseNewer } from "../store/migrations.ts"
import { overview } from "../store/overview.ts"
import { fromSqlError } from "../store/storeError.ts"
import { sqlError } from "./sqliteConnection.ts"
import * as File from "./sqliteFile.ts"
import * as Sqlite from "./Sqlite.ts"

/** A writer holds a lock for moments; whoever only looks may wait for it. */
const busyMillis = 1_000

/** Null where there is none. Refuses what the gateway itself would refuse, in the same words. */
export const look = Effect.fnUntraced(
  function* (file: string, platforms: ReadonlyArray<string>, checkedBytes: number) {
    const found = yield* File.examine(file)
    if (found === null) return null
    const db = yield* Effect.acquireRelease(
      attempt(() => new DatabaseSync(locationOf(file, found), { timeout: busyMillis, readOnly: true })),
      (db) => Effect.sync(() => db.close())
    )
    const isRead = found.bytes + found.logBytes <= checkedBytes
    const verdict = yield* attempt(() =>
      isRead ? String(db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]) : "ok"
    )
    if (verdict !== "ok")
      return yield* File.unusable(file, `the database is corrupt (${verdict}); restore it from a backup`)
    const kept = yield* read(file, platforms).pipe(Effect.provide(Sqlite.layerOver(db)))
    const view: StoreView = {
      bytes: found.bytes + found.logBytes,
      integrity: isRead ? "sound" : "too large to read through here",
      kept
    }
    return view
  },
  (looking, file): Effect.Effect<StoreView | null, StoreError> =>
    looking.pipe(
      Effect.scoped,
      Effect.catchTag("SqlError", (error) =>
        Effect.fail(File.unusable(file, fromSqlError("look", error, file).detail.slice(file.length + 2), error))
      )
    )
)

const read = Effect.fnUntraced(function* (file: string, platforms: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const version = yield* refuseNewer(sql, file)
  return version < newest ? ("older" as const) : yield* overview(sql, platforms)
})

const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: (cause) => sqlError("look", cause) })

/** Where nobody has it open and no log lies beside it, a reader need not leave an index of one behind. */
const locationOf = (file: string, { logBytes }: File.Found): URL => {
  const url = pathToFileURL(file)
  if (logBytes === 0 && !existsSync(`${file}-shm`)) url.searchParams.set("immutable", "1")
  return url
}

/** What this user may still write where the file is or would be; null where the system does not say. */
export const freeBytes = (file: string): Effect.Effect<number | null> =>
  Effect.try({
    try: () => {
      const { bavail, bsize } = statfsSync(nearest(file))
      return bavail * bsize
    },
    catch: String
  }).pipe(Effect.option, Effect.map(Option.getOrNull))

/** Its folder may not be there yet. */
const nearest = (path: string): string => {
  const folder = dirname(path)
  return existsSync(folder) || folder === path ? folder : nearest(folder)
}
