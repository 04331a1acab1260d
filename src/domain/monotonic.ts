/** Elapsed time: a clock that no correction of the wall clock moves. Has no origin; only differences mean something. */
import type { Clock } from "effect"
import { Effect } from "effect"

/** For callbacks, which have a clock in hand and no fiber. Exact: two stamps of one millisecond still differ. */
export const monotonicMillisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

export const monotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.succeed(monotonicMillisOf(clock))
)
