/** Where the running gateway is to be asked: a note that costs neither a start nor a stop. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as RunFile from "../../src/layers/RunFile.ts"

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

describe("the file of a running gateway", () => {
  it.effect("is there while it runs, and goes with it", () =>
    Effect.gen(function* () {
      const folder = yield* home
      const found = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* (yield* RunFile.make(folder))("http://127.0.0.1:1")
          return yield* RunFile.read(folder)
        })
      )

      assert.deepStrictEqual(Option.getOrNull(found), { pid: process.pid, url: "http://127.0.0.1:1" })
      assert.isFalse(existsSync(join(folder, "gateway.json")))
    })
  )

  it.effect("that can neither be written nor taken away fails neither the start nor the stop", () =>
    Effect.gen(function* () {
      const folder = yield* home
      mkdirSync(join(folder, "gateway.json"))
      yield* Effect.scoped(Effect.flatMap(RunFile.make(folder), (write) => write("http://127.0.0.1:1")))

      assert.isTrue(Option.isNone(yield* RunFile.read(folder)))
    })
  )
})
