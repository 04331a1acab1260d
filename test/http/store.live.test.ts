/** A store that fails and is well again, as the status of a real gateway on a real file shows it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ask, post } from "../asking.ts"
import { until } from "../service.ts"
import { served } from "./served.ts"

const message = { to: "local:me", text: "x".repeat(100_000) }

const isWell = (url: string) => until(ask(`${url}/readyz`), ({ status }) => status === 200)

describe("a store that takes no writes", () => {
  it.live("is down while another process has it locked, and well again within seconds after", () =>
    Effect.gen(function* () {
      const { url, home } = yield* served({})
      yield* isWell(url)
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(join(home, "evergate.db"))),
        (db) => Effect.sync(() => db.close())
      )

      other.exec("BEGIN IMMEDIATE")
      const refused = yield* post(`${url}/api/messages`, message)
      const during = yield* ask(`${url}/api/status`)
      other.exec("ROLLBACK")
      yield* isWell(url)

      assert.strictEqual(refused.status, 503)
      assert.containSubset(during.json, { health: "down", store: { ok: false } })
      assert.include(during.text, "locked by another process")
    })
  )

  it.live("is down while it is full, and well again within seconds after", () =>
    Effect.gen(function* () {
      const { url, database } = yield* served({})
      yield* isWell(url)
      const [row] = yield* database.sql<{ page_count: number }>`PRAGMA page_count`

      yield* database.sql.unsafe(`PRAGMA max_page_count=${row?.page_count}`)
      const refused = yield* post(`${url}/api/messages`, message)
      const during = yield* ask(`${url}/api/status`)
      yield* database.sql.unsafe("PRAGMA max_page_count=1000000")
      yield* isWell(url)

      assert.strictEqual(refused.status, 503)
      assert.containSubset(during.json, { health: "down", store: { ok: false } })
      assert.include(during.text, "the disk is full; free some space")
    })
  )
})
