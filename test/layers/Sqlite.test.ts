import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Sqlite from "../../src/layers/Sqlite.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const file = Effect.map(folder, (path) => join(path, "evergate.db"))

const using = <A, E>(filename: string, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(Sqlite.layer({ filename })))

const refusal = (filename: string) => Effect.flip(Effect.scoped(Layer.build(Sqlite.layer({ filename }))))

/** A database with some pages, closed properly. */
const filled = (filename: string) =>
  using(filename, (sql) =>
    Effect.andThen(
      sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)`,
      Effect.forEach(Array.from({ length: 50 }), () => sql`INSERT INTO notes (text) VALUES (${"n".repeat(1000)})`)
    )
  )

type Harm = (db: DatabaseSync, filename: string) => void

/** As if a later version had brought the tables up to date. */
const newer: Harm = (db) =>
  db.exec(`
    CREATE TABLE evergate_migrations (migration_id INTEGER PRIMARY KEY, created_at TEXT, name TEXT);
    INSERT INTO evergate_migrations (migration_id, name) VALUES (999, 'later')`)

const foreign: Harm = (db) => db.exec("PRAGMA application_id=1")

/** An inner page is not what it was; the log, where there is one, holds another. */
const damaged: Harm = (db, filename) => {
  db.exec("INSERT INTO notes (text) VALUES ('one more')")
  const bytes = readFileSync(filename)
  bytes.fill(0x3f, 4 * 4096, 6 * 4096)
  writeFileSync(filename, bytes)
}

/** Leaves the file as a copy of it, or another tool, would: without a write-ahead log. */
const alone = (filename: string, harm: Harm) => {
  const db = new DatabaseSync(filename)
  db.exec("PRAGMA journal_mode=DELETE")
  harm(db, filename)
  db.close()
}

describe("Sqlite", () => {
  it.effect("makes the file for its owner alone and finds it again as it was left", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* filled(filename)

      const rows = yield* using(filename, (sql) => sql`SELECT COUNT(*) AS n FROM notes`)

      expect(rows).toMatchObject([{ n: 50 }])
      expect(statSync(filename).mode & 0o777).toBe(0o600)
    }).pipe(Effect.scoped)
  )

  it.effect("flushes each commit to the disk, and gives a foreign lock 50 ms", () =>
    Effect.gen(function* () {
      const filename = yield* file

      const found = yield* using(filename, (sql) =>
        Effect.all([
          sql`PRAGMA journal_mode`,
          sql`PRAGMA synchronous`,
          sql`PRAGMA foreign_keys`,
          sql`PRAGMA fullfsync`,
          sql`PRAGMA busy_timeout`
        ])
      )

      expect(found.map(([row]) => Object.values(row ?? {})[0])).toEqual(["wal", 2, 1, 1, 50])
    }).pipe(Effect.scoped)
  )

  it.effect("leaves the files of its write-ahead log for its owner alone", () =>
    Effect.gen(function* () {
      const filename = yield* file

      const modes = yield* using(filename, (sql) =>
        Effect.map(sql`CREATE TABLE notes (id INTEGER PRIMARY KEY)`, () =>
          ["", "-wal", "-shm"].map((part) => statSync(`${filename}${part}`).mode & 0o777)
        )
      )

      expect(modes).toEqual([0o600, 0o600, 0o600])
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    {
      name: "random bytes",
      break: (path: string) =>
        writeFileSync(path, Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * 7919) % 251))),
      says: "the file is not a database"
    },
    { name: "a few bytes", break: (path: string) => truncateSync(path, 50), says: "the file is not a database" },
    { name: "no bytes", break: (path: string) => truncateSync(path, 0), says: "the file is empty" },
    { name: "half of its pages", break: (path: string) => truncateSync(path, 8192), says: "the file is cut short" },
    {
      name: "a page that was overwritten",
      break: (path: string) => writeFileSync(path, "?".repeat(4096), { flag: "r+" }),
      says: "the file is not a database"
    },
    {
      name: "an inner page that was overwritten",
      break: (path: string) => {
        const bytes = readFileSync(path)
        bytes.fill(0x3f, 4096, 8192)
        writeFileSync(path, bytes)
      },
      says: "the database is corrupt"
    },
    {
      name: "the database of another program",
      break: (path: string) => {
        rmSync(path)
        const db = new DatabaseSync(path)
        db.exec("CREATE TABLE theirs (id)")
        db.close()
      },
      says: "not one of evergate's"
    }
  ])("a file of $name is refused, named and not changed", ({ break: harm, says }) =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* filled(filename)
      harm(filename)
      const before = readFileSync(filename)

      const error = yield* refusal(filename)

      expect(error).toMatchObject({ _tag: "StoreError", operation: "open", unusable: true })
      expect(error.detail.startsWith(`${filename}: `)).toBe(true)
      expect(error.detail).toContain(says)
      expect(readFileSync(filename).equals(before)).toBe(true)
      expect(readdirSync(join(filename, ".."))).toEqual(["evergate.db"])
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    {
      name: "a newer evergate's, kept without a write-ahead log",
      harm: newer,
      says: "written by a newer evergate (schema 999"
    },
    { name: "another program's, kept without a write-ahead log", harm: foreign, says: "not one of evergate's" },
    { name: "a damaged one, kept without a write-ahead log", harm: damaged, says: "the database is corrupt" }
  ])("$name, is refused and stays as it is to the byte", ({ harm, says }) =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* filled(filename)
      alone(filename, harm)
      const before = readFileSync(filename)

      const error = yield* refusal(filename)

      expect(error).toMatchObject({ unusable: true, detail: expect.stringContaining(says) })
      expect(before[18]).toBe(1)
      expect(readFileSync(filename).equals(before)).toBe(true)
      expect(readdirSync(join(filename, ".."))).toEqual(["evergate.db"])
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    { name: "a newer evergate", harm: newer, says: "written by a newer evergate (schema 999" },
    { name: "a database that is damaged", harm: damaged, says: "the database is corrupt" }
  ])("what a crash of $name left beside the file stays as it is too", ({ harm, says }) =>
    Effect.gen(function* () {
      const filename = yield* file
      const crashed = join(filename, "..", "crashed.db")
      yield* filled(filename)
      const db = new DatabaseSync(filename)
      harm(db, filename)
      copyFileSync(filename, crashed)
      copyFileSync(`${filename}-wal`, `${crashed}-wal`)
      db.close()
      const before = [readFileSync(crashed), readFileSync(`${crashed}-wal`)]

      const error = yield* refusal(crashed)

      expect(error).toMatchObject({ unusable: true, detail: expect.stringContaining(says) })
      expect(before[1]?.length).toBeGreaterThan(0)
      expect([readFileSync(crashed), readFileSync(`${crashed}-wal`)]).toEqual(before)
    }).pipe(Effect.scoped)
  )

  it.effect("a folder in the file's place is refused", () =>
    Effect.gen(function* () {
      const filename = yield* file
      mkdirSync(filename)

      expect(yield* refusal(filename)).toMatchObject({ unusable: true, detail: `${filename}: not a file` })
    }).pipe(Effect.scoped)
  )

  it.effect("a folder that is not there is refused, not made", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const filename = join(path, "none", "evergate.db")

      const error = yield* refusal(filename)

      expect(error).toMatchObject({ unusable: true, detail: expect.stringContaining("cannot be opened") })
      expect(existsSync(join(path, "none"))).toBe(false)
    }).pipe(Effect.scoped)
  )

  it.effect("a log without its file is no empty start", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* using(filename, (sql) =>
        Effect.andThen(
          sql`CREATE TABLE notes (id INTEGER PRIMARY KEY)`,
          Effect.sync(() => copyFileSync(`${filename}-wal`, `${filename}.kept`))
        )
      )
      rmSync(filename)
      copyFileSync(`${filename}.kept`, `${filename}-wal`)

      const error = yield* refusal(filename)

      expect(error.detail).toContain("its write-ahead log is there")
      expect(existsSync(filename)).toBe(false)
    }).pipe(Effect.scoped)
  )

  it.effect("F145: what was committed and only stands in the log is there at the next start", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const copy = `${filename}.copy`
      yield* using(filename, (sql) =>
        Effect.andThen(
          Effect.andThen(sql`CREATE TABLE notes (id INTEGER PRIMARY KEY)`, sql`INSERT INTO notes (id) VALUES (7)`),
          Effect.sync(() => {
            copyFileSync(filename, copy)
            copyFileSync(`${filename}-wal`, `${copy}-wal`)
          })
        )
      )

      expect(yield* using(copy, (sql) => sql`SELECT id FROM notes`)).toMatchObject([{ id: 7 }])
    }).pipe(Effect.scoped)
  )

  it.effect("waits for a foreign lock while it opens, and names it when it does not pass", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* filled(filename)
      const other = new DatabaseSync(filename)
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      other.exec("BEGIN IMMEDIATE")

      const opening = yield* Effect.forkChild(refusal(filename), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      const error = yield* Fiber.join(opening)

      expect(error).toMatchObject({ unusable: false, detail: expect.stringContaining("locked by another process") })
      expect(error.detail).toContain(filename)
    }).pipe(Effect.scoped)
  )

  it.effect("binds booleans, undefined and null, and gives big integers where they are asked for", () =>
    Effect.gen(function* () {
      const filename = yield* file

      const [plain, big] = yield* using(filename, (sql) =>
        Effect.all([
          sql`SELECT ${true} AS yes, ${undefined} AS missing, ${null} AS none`,
          sql`SELECT 9007199254740993 AS n`.pipe(Effect.provideService(SqlClient.SafeIntegers, true))
        ])
      )

      expect({ ...plain[0] }).toEqual({ yes: 1, missing: null, none: null })
      expect({ ...big[0] }).toEqual({ n: 9007199254740993n })
    }).pipe(Effect.scoped)
  )

  it.effect("tells a broken key from other failures, and goes on after more statements than it remembers", () =>
    Effect.gen(function* () {
      const filename = yield* file

      const [reason, last] = yield* using(filename, (sql) =>
        Effect.gen(function* () {
          yield* sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)`
          yield* sql`INSERT INTO notes (text) VALUES ('a')`
          const error = yield* Effect.flip(sql`INSERT INTO notes (text) VALUES ('a')`)
          yield* Effect.forEach(Array.from({ length: 600 }), (_, i) => sql.unsafe(`SELECT ${i} AS n`))
          return [error.reason, yield* sql`SELECT text FROM notes`] as const
        })
      )

      expect(reason).toMatchObject({ _tag: "UniqueViolation", constraint: "notes.text" })
      expect(last).toMatchObject([{ text: "a" }])
    }).pipe(Effect.scoped)
  )

  it.effect("gives rows as arrays and as a stream", () =>
    Effect.gen(function* () {
      const filename = yield* file

      const [values, streamed] = yield* using(filename, (sql) => {
        const rows = sql`SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y'`
        return Effect.all([rows.values, Stream.runCollect(rows.stream)])
      })

      expect(streamed).toMatchObject([
        { a: 1, b: "x" },
        { a: 2, b: "y" }
      ])
      expect(values).toEqual([
        [1, "x"],
        [2, "y"]
      ])
    }).pipe(Effect.scoped)
  )
})
