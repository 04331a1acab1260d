import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Supervision } from "../../src/actors/Supervision.ts"
import { standing, Watchdog } from "../../src/actors/Watchdog.ts"

const never = { every: Duration.seconds(1), beat: Effect.void, ended: Effect.never }

const watched = Watchdog.layer({ stall: Duration.seconds(10), guard: Effect.succeed(never) }).pipe(
  Layer.provideMerge(Supervision.layer)
)

const part = { name: "ticker", platform: null, startedAt: 0, restarts: 0, progressAt: 0, working: null }

describe("the watchdog", () => {
  it.effect("names the part that missed its deadline and stood for `stall` after it", () =>
    Effect.gen(function* () {
      const { progress } = yield* (yield* Supervision).register("ticker")
      yield* progress(Duration.seconds(20))
      const ending = yield* Effect.forkChild(Effect.flip((yield* Watchdog).stood))
      yield* TestClock.adjust("29 seconds")
      const early = ending.pollUnsafe()
      yield* TestClock.adjust("3 seconds")

      assert.isUndefined(early)
      assert.include((yield* Fiber.join(ending)).message, "ticker stands")
    }).pipe(Effect.scoped, Effect.provide(watched))
  )

  it.effect("leaves a part alone that is late now and then", () =>
    Effect.gen(function* () {
      const { progress } = yield* (yield* Supervision).register("ticker")
      const ending = yield* Effect.forkChild(Effect.flip((yield* Watchdog).stood))
      for (let round = 0; round < 20; round++) {
        yield* progress(Duration.seconds(1))
        yield* TestClock.adjust("9 seconds")
      }

      assert.isUndefined(ending.pollUnsafe())
    }).pipe(Effect.scoped, Effect.provide(watched))
  )

  it("counts looks, not time: a pause of the whole process is one look", () => {
    const look = standing(3)

    const found = [5, 3_600_000, 3_601_000].map((overdueMillis) => look([{ ...part, overdueMillis }]))

    assert.deepStrictEqual(found, [null, null, "ticker"])
  })

  it("begins to count anew with a stamp, or when the part is gone", () => {
    const look = standing(2)

    const found = [[10], [5], [], [6], [7]].map((overdue) =>
      look(overdue.map((overdueMillis) => ({ ...part, overdueMillis })))
    )

    assert.deepStrictEqual(found, [null, null, null, null, "ticker"])
  })
})
