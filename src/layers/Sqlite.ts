/**
 * SQLite as a `SqlClient`, and the only place that knows `node:sqlite`. What was committed is on the disk (WAL with
 * `synchronous=FULL`), a foreign lock blocks the event loop for 50 ms at most, and a file that cannot be trusted is
 * refused unchanged.
 */
import { Effect, Layer, Predicate, Semaphore } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { SqlClient } from "effect/sql"
import { chmodSync, linkSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { StoreError } from "../domain/Errors.ts"
import { refuseNewer } from "../store/migrations.ts"
import { fromSqlError, isLocked, patience } from "../store/storeError.ts"
import * as Compiler from "./sqliteCompiler.ts"
import * as Connection from "./sqliteConnection.ts"
import * as File from "./sqliteFile.ts"

/** The largest file that is read through before it is used: about 50 ms. A larger one shows damage when it is met. */
const checkedBytes = 64 * 1024 * 1024

/**
 * The log is copied back at SQLite's own pace, every 1,000 pages: at 4,000 a burst gains a little, but each copy holds the
 * event loop for tens of milliseconds instead of a few. A log that a burst made longer is cut to 64 MB.
 */
const pragmas = `
  PRAGMA journal_mode=WAL;
  PRAGMA synchronous=FULL;
  PRAGMA fullfsync=ON;
  PRAGMA foreign_keys=ON;
  PRAGMA cache_size=-16000;
  PRAGMA journal_size_limit=67108864;
`

const busyMillis = 50

const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, SqlError.SqlError> =>
  Effect.try({ try: run, catch: (cause) => Connection.sqlError(operation, cause) }).pipe(
    Effect.retry({ schedule: patience, while: isLocked })
  )

const connect = (location: string | URL, readOnly: boolean) =>
  Effect.acquireRelease(
    attempt("open", () => new DatabaseSync(location, { timeout: busyMillis, readOnly })),
    (db) => Effect.sync(() => db.close())
  )

const mark = `PRAGMA application_id=${File.applicationId}`

const alreadyThere = (error: SqlError.SqlError) =>
  Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === "EEXIST"

/** Makes the database beside its place and puts it there whole: an empty file in that place is never one of ours. */
const create = (file: string): Effect.Effect<void, SqlError.SqlError> => {
  const draft = `${file}.${process.pid}.new`
  return Effect.scoped(
    Effect.flatMap(connect(draft, false), (db) =>
      attempt("create", () => {
        chmodSync(draft, 0o600)
        db.exec(`PRAGMA journal_mode=WAL; ${mark}`)
      })
    )
  ).pipe(
    Effect.andThen(attempt("create", () => linkSync(draft, file))),
    // Another process made it meanwhile: its file is as good.
    Effect.catchIf(alreadyThere, () => Effect.void),
    Effect.ensuring(Effect.sync(() => rmSync(draft, { force: true })))
  )
}

const client = (db: DatabaseSync) =>
  Effect.gen(function* () {
    const acquirers = SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(Connection.make(db)),
      semaphore: yield* Semaphore.make(1),
      isTransaction: () => db.isTransaction
    })
    return yield* SqlClient.make({
      ...acquirers,
      compiler: Compiler.make(),
      driver: "node-sqlite",
      beginTransaction: "BEGIN IMMEDIATE",
      prepareTransactionControls: true,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
  })

/**
 * Reads the schema, its version, and all pages of a file that is not large, on a connection that cannot write: what is
 * refused here is left as it is, down to the mode of its journal.
 */
const check = Effect.fnUntraced(function* (file: string, found: File.Found) {
  const url = pathToFileURL(file)
  // Without a log nothing can be in the middle of anything, and then a reader need not leave an index of one behind.
  if (found.logBytes === 0) url.searchParams.set("immutable", "1")
  const db = yield* connect(url, true)
  const verdict = yield* attempt("check", () => {
    db.exec("SELECT count(*) FROM sqlite_schema")
    return found.bytes > checkedBytes ? "ok" : String(db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"])
  })
  if (verdict !== "ok") {
    return yield* File.unusable(file, `the database is corrupt (${verdict}); restore it from a backup`)
  }
  yield* refuseNewer(yield* client(db), file)
}, Effect.scoped)

/** Fails where SQLite would quietly open the file for reading only. */
const claim = (db: DatabaseSync) =>
  attempt("open", () => {
    db.exec(pragmas)
    db.exec(`BEGIN IMMEDIATE; ${mark}; ROLLBACK`)
  })

const open = Effect.fnUntraced(
  function* (file: string) {
    const found = yield* File.examine(file)
    yield* found === null ? create(file) : check(file, found)
    const db = yield* connect(file, false)
    yield* claim(db)
    return db
  },
  (opening, file) =>
    Effect.catchTag(opening, "SqlError", (error) => {
      const failed = fromSqlError("open", error, file)
      return Effect.fail(isLocked(error) ? failed : File.unusable(file, failed.detail.slice(file.length + 2), error))
    })
)

const layerOf = <E>(
  opening: Effect.Effect<DatabaseSync, E, Scope.Scope | Reactivity.Reactivity>
): Layer.Layer<SqlClient.SqlClient, E> =>
  Layer.effect(SqlClient.SqlClient, Effect.flatMap(opening, client)).pipe(Layer.provide(Reactivity.layer))

/** A database file; made with mode 0600 where there is none. Its folder has to be there. */
export const layer = (options: { readonly filename: string }): Layer.Layer<SqlClient.SqlClient, StoreError> =>
  layerOf(open(options.filename))

/** A database that is gone with its scope. */
export const layerMemory: Layer.Layer<SqlClient.SqlClient> = layerOf(
  Effect.orDie(Effect.tap(connect(":memory:", false), claim))
)

/** Over a database that its owner opened, and closes when nobody uses it any more. */
export const layerOver = (db: DatabaseSync): Layer.Layer<SqlClient.SqlClient> => layerOf(Effect.succeed(db))
