import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Vitals } from "../../src/actors/Vitals.ts"
import * as NodeVitals from "../../src/layers/vitals.ts"
import { until } from "../service.ts"

const read = Effect.gen(function* () {
  const signs = yield* (yield* Vitals).read
  assert.isNotNull(signs)
  return signs
})

const block = (millis: number) =>
  Effect.sync(() => {
    const end = performance.now() + millis
    while (performance.now() < end);
  })

describe("vital signs", () => {
  it.live("are nobody's where no layer measures them", () =>
    Effect.gen(function* () {
      assert.isNull(yield* (yield* Vitals).read)
    })
  )

  it.live("are the process's own: a loop that was blocked shows, memory lies within its limit", () =>
    Effect.gen(function* () {
      yield* Effect.sleep("50 millis")
      yield* block(200)
      const signs = yield* until(read, ({ loopDelayMostMillis }) => loopDelayMostMillis >= 150)

      assert.isBelow(signs.heapUsedBytes, signs.heapLimitBytes)
      assert.isAbove(signs.residentBytes, signs.heapUsedBytes / 2)
      assert.isAbove(signs.cpuSeconds, 0)
    }).pipe(Effect.provide(NodeVitals.layer))
  )

  it.live("count the fibers that live, and those that ended no more", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const before = yield* read
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkScoped(Effect.never))
            const meanwhile = yield* read
            assert.strictEqual(meanwhile.fibers - before.fibers, 100)
          })
        )
        const after = yield* read

        assert.strictEqual(after.fibers, before.fibers)
      })
    ).pipe(Effect.provide(NodeVitals.layer))
  )
})
