/** What a stop may take: work that is bounded, under a deadline that those who stop together share. */
import { Duration, Effect, Fiber } from "effect"
import type { Option } from "effect"
import { monotonicMillis } from "../domain/monotonic.ts"

/** None when the time ran out before the work was done. */
export type DrainTime = (work: Effect.Effect<void>) => Effect.Effect<Option.Option<void>>

/** The work has a fiber of its own, since a finalizer cannot be interrupted. */
export const makeDrainTime = (drain: Duration.Duration): DrainTime => {
  let leaving = 0
  let deadline = 0
  return Effect.fnUntraced(function* (work) {
    const now = yield* monotonicMillis
    if (leaving++ === 0) deadline = now + Duration.toMillis(drain)
    const left = Duration.millis(Math.max(0, deadline - now))
    const fiber = yield* work.pipe(Effect.timeoutOption(left), Effect.interruptible, Effect.forkDetach)
    return yield* Effect.ensuring(
      Fiber.join(fiber),
      Effect.sync(() => leaving--)
    )
  })
}
