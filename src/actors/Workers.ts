/**
 * A fiber a key, alive only while there is work for it. What waits, waits in the store; a wake is only a hint to look, so
 * none can be lost to a full queue, and whoever rests costs nothing.
 */
import { Deferred, Effect, FiberSet } from "effect"
import type { Scope } from "effect"

export interface Workers<K> {
  /** Returns at once. A key at work looks again before it rests. */
  readonly wake: (key: K) => Effect.Effect<void>
  /** How many keys are at work. */
  readonly active: Effect.Effect<number>
  /** Returns when the keys that are at work now, and that the predicate names, have come to rest. */
  readonly rest: (which: (key: K) => boolean) => Effect.Effect<void>
}

/** `step` does one piece of work and says whether there may be more. Closing the scope interrupts whoever works. */
export const make = Effect.fnUntraced(function* <K>(
  step: (key: K) => Effect.Effect<boolean>
): Effect.fn.Return<Workers<K>, never, Scope.Scope> {
  const fibers = yield* FiberSet.make<void>()
  /** Those at work, each with its end. */
  const working = new Map<K, Deferred.Deferred<void>>()
  /** Those that were woken since they last looked. */
  const again = new Set<K>()

  const work = Effect.fnUntraced(function* (key: K) {
    do again.delete(key)
    while (yield* step(key))
  })

  const begin = (key: K, done: Deferred.Deferred<void>): Effect.Effect<void> =>
    work(key).pipe(
      // A bug of ours: what waits is looked at again with the next wake. Nobody else would see it.
      Effect.tapDefect((defect) => Effect.logError("crashed").pipe(Effect.annotateLogs({ at: key, cause: defect }))),
      Effect.ensuring(leave(key, done)),
      FiberSet.run(fibers),
      Effect.asVoid
    )

  /** A wake that came after the last look is a new beginning, and no rest yet. */
  const leave = (key: K, done: Deferred.Deferred<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (again.delete(key)) return begin(key, done)
      working.delete(key)
      return Effect.asVoid(Deferred.succeed(done, undefined))
    })

  const wake = (key: K): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (working.has(key)) {
        again.add(key)
        return Effect.void
      }
      const done = Deferred.makeUnsafe<void>()
      working.set(key, done)
      return begin(key, done)
    })

  return {
    wake,
    active: Effect.sync(() => working.size),
    rest: (which) =>
      Effect.suspend(() => {
        const ends = Array.from(working).filter(([key]) => which(key))
        return Effect.forEach(ends, ([, done]) => Deferred.await(done), { discard: true })
      })
  }
})
