/** Parts in scopes of their own, and when a watched file counts as changed. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Wanted } from "../../src/layers/parts.ts"
import * as Parts from "../../src/layers/parts.ts"
import { watch } from "../../src/layers/watch.ts"
import { quiet } from "../actors/world.ts"

/** Parts that write down when they begin and end; `drain` is what one of this name waits for at its end. */
const makePlay = () => {
  const log: Array<string> = []
  const note = (line: string) => Effect.sync(() => void log.push(line))
  const wanted = (fingerprints: Readonly<Record<string, string>>, drain: Effect.Effect<void> = Effect.void): Wanted =>
    new Map(
      Object.entries(fingerprints).map(([name, fingerprint]) => {
        const start = Effect.acquireRelease(note(`${name}${fingerprint} begins`), () =>
          Effect.andThen(drain, note(`${name}${fingerprint} ends`))
        )
        return [name, { fingerprint, start: Effect.asVoid(start) }]
      })
    )
  return { log, wanted }
}

describe("parts", () => {
  it.effect("F206: only what differs is touched, and what goes has ended before anything begins", () =>
    Effect.gen(function* () {
      const { log, wanted } = makePlay()
      const parts = yield* Parts.make
      const first = parts.intend(wanted({ a: "1", b: "1", c: "1" }))
      yield* parts.settle
      const next = parts.intend(wanted({ a: "1", b: "2", d: "1" }))
      yield* parts.settle
      const none = parts.intend(wanted({ a: "1", b: "2", d: "1" }))
      yield* parts.settle

      assert.deepStrictEqual(first, { started: ["a", "b", "c"], stopped: [], replaced: [] })
      assert.deepStrictEqual(next, { started: ["d"], stopped: ["c"], replaced: ["b"] })
      assert.deepStrictEqual(none, { started: [], stopped: [], replaced: [] })
      assert.deepStrictEqual(log.slice(3).toSorted(), ["b1 ends", "b2 begins", "c1 ends", "d1 begins"])
      assert.deepStrictEqual(log.slice(3, 5).toSorted(), ["b1 ends", "c1 ends"])
    }).pipe(Effect.scoped)
  )

  it.effect("what is meant last is what comes to be, however many changes came while one still ended", () =>
    Effect.gen(function* () {
      const { log, wanted } = makePlay()
      const drained = yield* Deferred.make<void>()
      const parts = yield* Parts.make
      parts.intend(wanted({ a: "1" }, Deferred.await(drained)))
      yield* parts.settle
      const settling = yield* Effect.forEach(["2", "3", "4"], (fingerprint) => {
        parts.intend(wanted({ a: fingerprint }))
        return Effect.forkChild(parts.settle)
      })
      yield* quiet
      yield* Deferred.succeed(drained, undefined)
      yield* Effect.forEach(settling, Fiber.join)

      assert.deepStrictEqual(log, ["a1 begins", "a1 ends", "a4 begins"])
    }).pipe(Effect.scoped)
  )

  it.effect("a stop ends all of them side by side, one that is just ending too, and begins none any more", () =>
    Effect.gen(function* () {
      const { log, wanted } = makePlay()
      const scope = yield* Scope.make()
      const parts = yield* Scope.provide(Parts.make, scope)
      parts.intend(wanted({ a: "1", b: "1" }, Effect.sleep("20 seconds")))
      yield* parts.settle
      parts.intend(wanted({ a: "2", b: "1" }))
      yield* Effect.forkChild(parts.settle)
      yield* quiet
      yield* TestClock.adjust("10 seconds")
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* quiet
      yield* TestClock.adjust("20 seconds")
      yield* quiet

      assert.isDefined(closing.pollUnsafe())
      assert.deepStrictEqual(log.slice(2), ["a1 ends", "b1 ends"])
    })
  )
})

describe("a watched file", () => {
  it.effect("F206: several writes within a second are one change, told once they are still", () =>
    Effect.gen(function* () {
      let [text, told] = ["one", 0]
      const tell = Effect.sync(() => void told++)
      yield* Effect.forkScoped(
        watch(
          Effect.sync(() => text),
          tell,
          Effect.void
        )
      )
      yield* quiet
      const counts: Array<number> = []
      for (const next of ["one", "two", "three", "four", "four", "four", "one", "four", "four"]) {
        text = next
        yield* TestClock.adjust("1 second")
        yield* quiet
        counts.push(told)
      }

      assert.deepStrictEqual(counts, [0, 0, 0, 0, 1, 1, 1, 1, 1])
    }).pipe(Effect.scoped)
  )
})
