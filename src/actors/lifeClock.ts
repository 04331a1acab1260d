/** Runs one clock of a link: sleeps to the next check, asks, and fails when silence is death. */
import { Duration, Effect, Metric } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import { KeepaliveTimeout, LinkError } from "../domain/LinkError.ts"
import type { LifeClock } from "../schedules/liveness.ts"
import { check, latenessMillis, started, woken } from "../schedules/liveness.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { roundTrip } from "./metrics.ts"

export interface LifeClockOptions {
  readonly platform: PlatformId
  /** Returns when the link is to be probed at once: the machine woke or its network changed. */
  readonly wake: Effect.Effect<void>
  /** Run at each check, with the time until the next one at most. */
  readonly onCheck: (within: Duration.Duration) => Effect.Effect<void>
}

/** Never succeeds; its failure is the link's. */
export const lifeClock = (clock: LifeClock, options: LifeClockOptions): Effect.Effect<never, LinkError> =>
  Effect.gen(function* () {
    const answered = answerMeasured(clock, roundTrip(options.platform, clock.name))
    let state = started(clock, yield* monotonicMillis)
    let plannedAt = state.startedAt
    while (true) {
      let now = yield* monotonicMillis
      if (now - plannedAt > latenessMillis) {
        // The loop was blocked: let the sockets read what has waited before anything is concluded from silence.
        yield* Effect.sleep(Duration.millis(1))
        now = yield* monotonicMillis
      }
      const everyMillis = Duration.toMillis(yield* clock.every)
      const verdict = check(clock, state, { now, heardAt: yield* clock.heardAt, everyMillis })
      switch (verdict._tag) {
        case "Dead":
          return yield* new LinkError({
            platform: options.platform,
            reason: new KeepaliveTimeout({ clock: clock.name, silenceMillis: verdict.silenceMillis })
          })
        case "Ask":
          state = verdict.state
          plannedAt = now
          // A write may hang on a dead path; the question is out of time as soon as its answer would be.
          yield* Effect.timeoutOption(clock.ask ?? Effect.void, clock.within)
          break
        case "Wait": {
          state = verdict.state
          const wait = Duration.millis(Math.max(1, verdict.untilMillis - now))
          plannedAt = verdict.untilMillis
          yield* options.onCheck(wait)
          const wasWoken = yield* Effect.raceAllFirst([
            Effect.as(Effect.sleep(wait), false),
            Effect.as(options.wake, true),
            ...(state.askedAt === null ? [] : [answered(state.askedAt)])
          ])
          if (wasWoken) {
            const wokenAt = yield* monotonicMillis
            state = woken(state, wokenAt)
            plannedAt = wokenAt
          }
          break
        }
      }
    }
  })

const firstLook = Duration.millis(5)

/**
 * Only measures, and never ends by itself: how long the answer took decides nothing. The stamp is the last sign of life's,
 * so it is looked at in time, before the next one covers it; each look comes twice as late as the one before.
 */
const answerMeasured = (clock: LifeClock, trips: Metric.Metric<number, unknown>) => (askedAt: number) =>
  Effect.gen(function* () {
    let wait = firstLook
    let heardAt = yield* clock.heardAt
    while (heardAt < askedAt) {
      yield* Effect.sleep(wait)
      wait = Duration.times(wait, 2)
      heardAt = yield* clock.heardAt
    }
    yield* Metric.update(trips, (heardAt - askedAt) / 1000)
    return yield* Effect.never
  })
