/** A wall clock that is moved by hand over the test's own: what a time daemon, a person or a sleeping machine does to it. */
import { Clock, Effect } from "effect"

/** Runs the body on a clock whose wall time `move` shifts; elapsed time, and all waiting, is the test clock's. */
export const onMovableClock = <A, E, R>(
  body: (move: (millis: number) => Effect.Effect<void>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Clock.clockWith((base) => {
    let moved = 0
    const wall = () => base.currentTimeMillisUnsafe() + moved
    const nanos = () => base.currentTimeNanosUnsafe() + BigInt(moved) * 1_000_000n
    const clock: Clock.Clock = {
      ...base,
      currentTimeMillisUnsafe: wall,
      currentTimeMillis: Effect.sync(wall),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos)
    }
    return Effect.provideService(
      body((millis) => Effect.sync(() => void (moved += millis))),
      Clock.Clock,
      clock
    )
  })
