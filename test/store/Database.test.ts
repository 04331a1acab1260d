import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Sqlite from "../../src/layers/Sqlite.ts"
import { Database } from "../../src/store/Database.ts"
import { memory } from "./fixtures.ts"

const file = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(Effect.map((folder) => join(folder, "evergate.db")))

const databaseIn = (filename: string) =>
  Database.layer({ url: `sqlite:${filename}` }).pipe(Layer.provideMerge(Sqlite.layer({ filename })))

/** Another process's hand on the file, closed with the scope. */
const foreign = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (db) => Effect.sync(() => db.close())
  )

const prove = (id: string) =>
  Effect.flatMap(Database, ({ sql }) => sql`INSERT INTO proved (platform, fingerprint) VALUES (${id}, 'x')`)

const proved = Effect.gen(function* () {
  const { read, sql } = yield* Database
  const rows = yield* read("proved", sql<{ platform: string }>`SELECT platform FROM proved ORDER BY platform`)
  return rows.map((row) => row.platform)
})

/** As a caller would: all of them at once. */
const together = <A, E>(bodies: ReadonlyArray<Effect.Effect<A, E, Database>>) =>
  Effect.gen(function* () {
    const db = yield* Database
    const context = yield* Effect.context<Database>()
    return yield* Effect.forEach(
      bodies,
      (body) => Effect.exit(db.write("test", Effect.provideContext(body, context))),
      { concurrency: "unbounded" }
    )
  })

describe("Database", () => {
  it.effect("gives a body's value back, and its writes to the next reader", () =>
    Effect.gen(function* () {
      const exits = yield* together([Effect.as(prove("a"), "done")])

      expect(exits).toEqual([Exit.succeed("done")])
      expect(yield* proved).toEqual(["a"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("writes that wait together are one transaction", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* Effect.gen(function* () {
        const db = yield* foreign(filename)
        const frames = () => Number(db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"])
        yield* together([prove("first")])
        const before = frames()

        yield* together(Array.from({ length: 100 }, (_, i) => prove(`p${i}`)))

        // Each transaction would leave a page of the table and one of its index; one leaves each page once.
        expect(frames() - before).toBeLessThan(20)
        expect(yield* proved).toHaveLength(101)
      }).pipe(Effect.provide(databaseIn(filename)))
    }).pipe(Effect.scoped)
  )

  it.effect("a body that fails takes back its own writes and no other's", () =>
    Effect.gen(function* () {
      const failing = Effect.andThen(prove("b"), Effect.fail("no"))

      const exits = yield* together<unknown, unknown>([prove("a"), failing, prove("c")])
      const alone = yield* together<unknown, unknown>([Effect.andThen(prove("d"), Effect.fail("no"))])

      expect(exits.map(Exit.isSuccess)).toEqual([true, false, true])
      expect([exits[1], alone[0]]).toEqual([Exit.fail("no"), Exit.fail("no")])
      expect(yield* proved).toEqual(["a", "c"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("a body that breaks a constraint, or dies, fails alone", () =>
    Effect.gen(function* () {
      const bug = new Error("bug")

      const exits = yield* together<unknown, unknown>([
        prove("a"),
        prove("a"),
        Effect.andThen(prove("b"), Effect.die(bug)),
        prove("c")
      ])

      expect(exits.map(Exit.isSuccess)).toEqual([true, false, false, true])
      expect(exits[1]).toMatchObject(Exit.fail({ _tag: "StoreError", operation: "test", unusable: false }))
      expect(exits[2]).toEqual(Exit.die(bug))
      expect(yield* proved).toEqual(["a", "c"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("when the commit fails every body of the group is told so, and the next group goes on", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      yield* sql`CREATE TABLE parent (id TEXT PRIMARY KEY)`
      yield* sql`CREATE TABLE child (id TEXT REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`
      const orphan = Effect.flatMap(Database, (db) => db.sql`INSERT INTO child (id) VALUES ('none')`)

      const exits = yield* together<unknown, unknown>([prove("a"), orphan, prove("b")])
      const after = yield* together([prove("c")])

      expect(exits.map(Exit.isFailure)).toEqual([true, true, true])
      expect(exits[0]).toMatchObject(Exit.fail({ _tag: "StoreError", detail: "FOREIGN KEY constraint failed" }))
      expect(after.map(Exit.isSuccess)).toEqual([true])
      expect(yield* proved).toEqual(["c"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("a caller that goes away does not disturb the group", () =>
    Effect.gen(function* () {
      const db = yield* Database
      const begun = yield* Deferred.make<void>()
      const body = Effect.andThen(Deferred.succeed(begun, undefined), Effect.provideService(prove("a"), Database, db))
      const leaver = yield* Effect.forkChild(db.write("test", Effect.andThen(body, Effect.yieldNow)))
      yield* Deferred.await(begun)

      yield* Fiber.interrupt(leaver)
      yield* together([prove("b")])

      expect(yield* proved).toEqual(["a", "b"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("writes what waits when its scope closes, and refuses what comes later", () =>
    Effect.gen(function* () {
      const filename = yield* file
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(databaseIn(filename), scope)
      const write = (id: string) =>
        Effect.flatMap(Database, (db) => db.write("test", Effect.provideService(prove(id), Database, db))).pipe(
          Effect.provideContext(context)
        )
      const waiting = yield* Effect.forkChild(Effect.forEach(["a", "b", "c"], write, { concurrency: "unbounded" }), {
        startImmediately: true
      })

      yield* Scope.close(scope, Exit.void)
      const late = yield* Effect.flip(write("d"))

      yield* Fiber.join(waiting)
      const kept = yield* proved.pipe(Effect.provide(databaseIn(filename)))
      expect(late).toMatchObject({ _tag: "StoreError", detail: "the store is closed" })
      expect(kept).toEqual(["a", "b", "c"])
    }).pipe(Effect.scoped)
  )

  it.effect("a full disk fails the group with what to do, shows in the health, and passes", () =>
    Effect.gen(function* () {
      const { health, sql } = yield* Database
      const [{ page_count: pages } = { page_count: 0 }] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      const large = Effect.flatMap(
        Database,
        (db) => db.sql`INSERT INTO proved (platform, fingerprint) VALUES ('large', ${"x".repeat(100_000)})`
      )
      yield* sql.unsafe(`PRAGMA max_page_count=${pages}`)

      const exits = yield* together([prove("a"), large, prove("b")])
      yield* proved
      const full = yield* health
      yield* sql.unsafe("PRAGMA max_page_count=100000")
      const after = yield* together([prove("c"), large])

      expect(exits.map(Exit.isFailure)).toEqual([true, true, true])
      expect(exits[0]).toMatchObject(
        Exit.fail({ unusable: false, detail: expect.stringContaining("the disk is full; free some space") })
      )
      expect(full).toMatchObject({ ok: false, lastError: expect.stringContaining("the disk is full") })
      expect(after.map(Exit.isSuccess)).toEqual([true, true])
      expect(yield* proved).toEqual(["c", "large"])
      expect(yield* health).toMatchObject({ ok: true, lastError: null, url: "sqlite::memory:" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("waits for a lock that another process holds, and says so when it does not pass", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* Effect.gen(function* () {
        const other = yield* foreign(filename)

        other.exec("BEGIN IMMEDIATE")
        const patient = yield* Effect.forkChild(together([prove("a")]), { startImmediately: true })
        yield* TestClock.adjust("100 millis")
        other.exec("ROLLBACK")
        yield* TestClock.adjust("100 millis")
        const passed = yield* Fiber.join(patient)

        other.exec("BEGIN IMMEDIATE")
        const hopeless = yield* Effect.forkChild(together([prove("b"), prove("c")]), { startImmediately: true })
        yield* TestClock.adjust("1 minute")
        const failed = yield* Fiber.join(hopeless)

        expect(passed.map(Exit.isSuccess)).toEqual([true])
        expect(failed[1]).toMatchObject(
          Exit.fail({ unusable: false, detail: expect.stringContaining("locked by another process") })
        )
      }).pipe(Effect.provide(databaseIn(filename)))
    }).pipe(Effect.scoped)
  )

  it.effect("a database of a newer evergate is refused and not touched", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* Layer.build(databaseIn(filename)).pipe(Effect.scoped)
      const db = yield* foreign(filename)
      db.exec("INSERT INTO evergate_migrations (migration_id, name) VALUES (999, 'later')")
      const state = () => [
        db.prepare("PRAGMA data_version").get(),
        db.prepare("SELECT name FROM sqlite_schema ORDER BY name").all()
      ]
      const before = state()

      const error = yield* Effect.flip(Effect.scoped(Layer.build(databaseIn(filename))))

      expect(error).toMatchObject({ _tag: "StoreError", unusable: true })
      expect(error.message).toContain(`${filename}: written by a newer evergate (schema 999`)
      expect(state()).toEqual(before)
    }).pipe(Effect.scoped)
  )

  it.effect("a database that is up to date opens again as it was", () =>
    Effect.gen(function* () {
      const filename = yield* file
      yield* together([prove("a")]).pipe(Effect.provide(databaseIn(filename)))

      const found = yield* proved.pipe(Effect.provide(databaseIn(filename)))

      expect(found).toEqual(["a"])
    }).pipe(Effect.scoped)
  )

  it.effect("a read that fails is a StoreError and stands in the health until a read went well", () =>
    Effect.gen(function* () {
      const { health, read, sql } = yield* Database

      const error = yield* Effect.flip(read("broken", sql`SELECT id FROM nowhere`))
      const failed = yield* health
      yield* proved

      expect(error).toMatchObject({ _tag: "StoreError", operation: "broken" })
      expect(failed).toMatchObject({ ok: true, lastError: "store: broken: no such table: nowhere" })
      expect(yield* health).toMatchObject({ ok: true, lastError: null })
    }).pipe(Effect.provide(memory))
  )
})
