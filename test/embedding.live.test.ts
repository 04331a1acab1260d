import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EvergateLayer, program } from "../examples/embedding.ts"
import * as Census from "../src/testing/Census.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("the embedding example", () => {
  it.live("answers by the app's own agent, and leaves nothing behind when the app stops", () =>
    Effect.gen(function* () {
      const database = join(yield* folder, "evergate.db")
      const census = yield* Census.make

      const during = yield* Effect.gen(function* () {
        const before = yield* census.alive
        const texts = yield* program.pipe(Effect.provide(EvergateLayer({ database })))
        // Fibers end in the turn after they were told to.
        yield* Effect.sleep("50 millis")
        return { texts, left: (yield* census.alive) - before }
      }).pipe(Effect.provide(Layer.fresh(census.layer)))

      assert.sameMembers([...during.texts], ["HELLO!", "The app speaks first, too."])
      assert.strictEqual(during.left, 0)
    }).pipe(Effect.scoped)
  )
})
