/** What one run of a connection remembers of its failures, so that each is judged in the light of those before it. */
import type { Duration } from "effect"
import { Clock, Effect, Schedule } from "effect"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import type { Retry } from "../domain/LinkSettings.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { History } from "../schedules/reconnect.ts"
import { judge, noHistory, reconnect } from "../schedules/reconnect.ts"

export interface Retries {
  /** The state that a failure leads to, and the wait. `proved`: these settings have connected before. */
  readonly after: (
    reason: LinkErrorReason,
    proved: boolean
  ) => Effect.Effect<{ readonly state: "backoff" | "failed"; readonly delay: Duration.Duration }>
  /** The link came up. */
  readonly connected: () => void
  /** It was up for long enough: what was before counts no more, and the schedule, which has no reset, begins anew. */
  readonly stable: Effect.Effect<void>
  /** One planned goodbye is followed at once; a platform that says nothing else is waited for like any failure. */
  readonly isGoodbyeHasty: () => boolean
}

export const make = Effect.fnUntraced(function* (retry: Retry) {
  const epoch = Schedule.toStep(reconnect(retry))
  let step = yield* epoch
  let history: History = noHistory
  /** Goodbyes in a row of links that were not stable. */
  let hasty = 0

  const retries: Retries = {
    after: Effect.fnUntraced(function* (reason, proved) {
      const [setback, remembered] = judge(reason, history, proved, yield* monotonicMillis)
      history = remembered
      // The schedule has no end, so its step never fails.
      const [, delay] = yield* Effect.orDie(step(yield* Clock.currentTimeMillis, setback))
      return { state: setback.state, delay }
    }),
    connected: () => {
      history = { ...history, refusedSince: null }
    },
    stable: Effect.map(epoch, (fresh) => {
      step = fresh
      history = noHistory
      hasty = 0
    }),
    isGoodbyeHasty: () => hasty++ > 0
  }
  return retries
})
