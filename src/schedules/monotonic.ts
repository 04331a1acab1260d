/** Elapsed time: a clock that no correction of the wall clock moves. Has no origin; only differences mean something. */
import { Clock, Effect } from "effect"

export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1_000_000
)
