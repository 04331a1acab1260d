/** The store's health between writes: one failure is not the last word on it, and a full store is not called sound. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as StoreProbe from "../../src/actors/StoreProbe.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import { quiet } from "./world.ts"

const probed = StoreProbe.layer.pipe(
  Layer.provideMerge(Supervision.layer),
  Layer.provideMerge(Layer.fresh(Store.layerMemory))
)

const later = Effect.andThen(TestClock.adjust("5 seconds"), quiet)

const tables = Effect.flatMap(Database, ({ sql }) => sql`SELECT name FROM sqlite_schema ORDER BY name`)

/** No page more than there is, or as many as anybody wants. */
const room = (pages: "none" | "enough") =>
  Effect.gen(function* () {
    const { sql } = yield* Database
    const [row] = yield* sql<{ page_count: number }>`PRAGMA page_count`
    yield* sql.unsafe(`PRAGMA max_page_count=${pages === "none" ? row?.page_count : 1_000_000}`)
  })

const prove = (fingerprint: string) =>
  Effect.flatMap(Database, ({ sql, write }) =>
    write("prove", sql`INSERT INTO proved (platform, fingerprint) VALUES (${fingerprint.slice(0, 9)}, ${fingerprint})`)
  )

describe("the store's health", () => {
  it.effect("after one write that failed is well again within 5 s, without another write of the gateway's", () =>
    Effect.gen(function* () {
      const { health } = yield* Database
      yield* room("none")
      yield* Effect.flip(prove("full ".repeat(10_000)))
      const failed = yield* health
      const before = yield* tables
      yield* room("enough")
      yield* later

      assert.containSubset(failed, { ok: false })
      assert.include(failed.lastError, "full")
      assert.containSubset(yield* health, { ok: true, lastError: null })
      assert.deepStrictEqual(yield* tables, before)
    }).pipe(Effect.provide(probed))
  )

  it.effect("stays bad as long as the store is full, though a page that is there could still be written", () =>
    Effect.gen(function* () {
      const { health } = yield* Database
      yield* room("none")
      yield* Effect.flip(prove("full ".repeat(10_000)))
      yield* Effect.repeat(later, { times: 10 })

      assert.containSubset(yield* health, { ok: false })
    }).pipe(Effect.provide(probed))
  )

  it.effect("of a store that is well costs no write", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      const changes = Effect.map(sql<{ n: number }>`SELECT total_changes() AS n`, ([row]) => row?.n)
      yield* prove("one")
      const before = yield* changes
      yield* Effect.repeat(later, { times: 10 })

      assert.strictEqual(yield* changes, before)
    }).pipe(Effect.provide(probed))
  )
})
