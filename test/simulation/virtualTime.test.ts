/** Time and order of the simulation: virtual, seeded, and without mercy for what is killed. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { monotonicMillis } from "../../src/domain/monotonic.ts"
import { makeChance } from "../../src/testing/simulation/chance.ts"
import * as VirtualTime from "../../src/testing/simulation/virtualTime.ts"

const time = (seed = 1) => VirtualTime.make(makeChance(seed), 1_000_000)

/** In which order ten fibers that are ready at once have their turn. */
const orderOf = (seed: number): string => {
  const order: Array<number> = []
  const fibers = Array.from({ length: 10 }, (_, i) => Effect.sync(() => void order.push(i)))
  time(seed).run(
    Effect.flatMap(
      Effect.forEach(fibers, (fiber) => Effect.forkChild(fiber)),
      Fiber.awaitAll
    )
  )
  return order.join(" ")
}

describe("virtual time", () => {
  it("passes as soon as nothing is ready, in the order of what is due", () => {
    const woken: Array<string> = []
    const sleeper = (name: string, duration: "3 days" | "1 day" | "2 days") =>
      Effect.delay(
        Effect.sync(() => void woken.push(name)),
        duration
      )
    const virtual = time()

    const exit = virtual.run(
      Effect.all([sleeper("c", "3 days"), sleeper("a", "1 day"), sleeper("b", "2 days")], { concurrency: 3 })
    )

    assert.isTrue(Exit.isSuccess(exit))
    assert.deepStrictEqual(woken, ["a", "b", "c"])
    assert.strictEqual(virtual.elapsed(), 3 * 86_400_000)
  })

  it("gives the same order to the same seed, and others to others", () => {
    const orders = [1, 2, 3, 4].map(orderOf)

    assert.strictEqual(orderOf(1), orders[0])
    assert.strictEqual(new Set(orders).size, 4)
  })

  it("moves the wall clock apart from elapsed time", () => {
    const virtual = time()
    const clocks = Effect.all([Clock.currentTimeMillis, monotonicMillis])

    const exit = virtual.run(
      Effect.gen(function* () {
        const before = yield* clocks
        virtual.jump(-500)
        const jumped = yield* clocks
        virtual.stall(2_000)
        return [before, jumped, yield* clocks]
      })
    )

    assert.deepStrictEqual(
      exit,
      Exit.succeed([
        [1_000_000, 0],
        [999_500, 0],
        [1_001_500, 2_000]
      ])
    )
  })

  it("runs nothing more of a process that was killed, finalizers included", () => {
    const virtual = time()
    const life = virtual.process()
    const said: Array<string> = []
    const say = (what: string) => Effect.sync(() => void said.push(what))

    virtual.run(
      Effect.gen(function* () {
        yield* say("working").pipe(
          Effect.andThen(Effect.sleep("1 minute")),
          Effect.ensuring(say("finalizer")),
          Effect.provideContext(life.context),
          Effect.forkDetach
        )
        yield* Effect.sleep("1 second")
        life.kill()
        yield* Effect.sleep("1 hour")
      })
    )

    assert.deepStrictEqual(said, ["working"])
  })

  it("counts who sleeps, and forgets who was woken or interrupted", () => {
    const virtual = time()
    const life = virtual.process()

    const exit = virtual.run(
      Effect.gen(function* () {
        const sleeps = Effect.all([Effect.sleep("1 minute"), Effect.sleep("1 hour")], { concurrency: 2 })
        const fiber = yield* Effect.forkDetach(Effect.provideContext(sleeps, life.context))
        yield* Effect.sleep("1 second")
        const both = life.sleeping()
        yield* Effect.sleep("2 minutes")
        const one = life.sleeping()
        yield* Fiber.interrupt(fiber)
        return [both, one, life.sleeping()]
      })
    )

    assert.deepStrictEqual(exit, Exit.succeed([2, 1, 0]))
  })

  it.each([
    ["goes round in circles", Effect.forever(Effect.yieldNow), "time stands still"],
    ["waits for nobody", Effect.flatMap(Deferred.make<void>(), Deferred.await), "everybody waits for somebody"]
  ])("ends a course that %s", (_, course, reason) => {
    const exit = time().run(course)

    assert.isTrue(Exit.isFailure(exit))
    assert.include(String(exit), reason)
  })
})
