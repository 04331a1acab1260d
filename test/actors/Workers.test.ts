import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger } from "effect"
import * as Workers from "../../src/actors/Workers.ts"
import { quiet } from "./world.ts"

it.effect("who waits for rest also waits for the look that a late wake asked for", () =>
  Effect.gen(function* () {
    const looks = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
    const left = [...looks]
    const look = Effect.suspend(() => left.shift()?.pipe(Deferred.await, Effect.as(false)) ?? Effect.succeed(false))
    const workers = yield* Workers.make(() => look)
    yield* workers.wake("chat")
    const resting = yield* Effect.forkChild(workers.rest(() => true))
    yield* quiet

    yield* workers.wake("chat")
    yield* Deferred.succeed(looks[0], undefined)
    yield* quiet

    assert.isUndefined(resting.pollUnsafe())
    yield* Deferred.succeed(looks[1], undefined)
    yield* Fiber.join(resting)
    assert.strictEqual(yield* workers.active, 0)
  }).pipe(Effect.scoped)
)

it.effect("a step that crashes is told of, and the key works again when it is woken", () => {
  const told: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void told.push(message))
  return Effect.gen(function* () {
    let steps = 0
    const workers = yield* Workers.make(() =>
      Effect.suspend(() => (steps++ === 0 ? Effect.die(new Error("a bug")) : Effect.succeed(false)))
    )
    yield* workers.wake("chat")
    yield* workers.rest(() => true)
    yield* workers.wake("chat")
    yield* workers.rest(() => true)

    assert.strictEqual(steps, 2)
    assert.deepStrictEqual(told.flat(), ["crashed"])
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
})
