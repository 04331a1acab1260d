/**
 * The dead man's switch: somebody elsewhere is pinged as long as all is well, and gives the alarm when the pings stay away.
 * So a gateway that is gone, or cannot get out at all, is noticed too.
 */
import { Duration, Effect } from "effect"
import { Database } from "../store/Database.ts"
import type { RoadBlocked } from "./Notices.ts"
import { Notices } from "./Notices.ts"
import { supervise } from "./supervise.ts"
import { Supervision } from "./Supervision.ts"

export interface HeartbeatOptions {
  /** In the log and the tree; nothing secret. */
  readonly name: string
  readonly every: Duration.Duration
  readonly ping: Effect.Effect<void, RoadBlocked>
}

/** Of one ping; the next one is the retry. */
const patience = Duration.seconds(10)
const grace = Duration.minutes(1)

/** No trouble that is told as an alarm, no part that stands, and a store that takes writes. */
const isWell = Effect.gen(function* () {
  const troubles = yield* (yield* Notices).open
  const parts = yield* (yield* Supervision).parts
  const takesWrites = yield* (yield* Database).takesWrites
  return troubles.length === 0 && takesWrites && parts.every(({ overdueMillis }) => overdueMillis === null)
})

/** Pings until the scope closes. That a ping does not arrive is said once, and once that they do again. */
export const beat = ({ name, every, ping }: HeartbeatOptions) =>
  supervise(`heartbeat to ${name}`, { progressWithin: grace, past: "slow" })((progress) =>
    Effect.gen(function* () {
      let arrives = true
      while (true) {
        yield* progress(Duration.sum(every, grace))
        if (yield* isWell) {
          const failure = yield* failureOf(ping)
          if (arrives !== (failure === null)) yield* tell(name, failure)
          arrives = failure === null
        }
        yield* Effect.sleep(every)
      }
    })
  )

/** Null where it arrived. */
const failureOf = (ping: HeartbeatOptions["ping"]): Effect.Effect<string | null> =>
  ping.pipe(
    Effect.as(null),
    Effect.catch((error) => Effect.succeed(error.message)),
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed("it took too long") })
  )

const tell = (road: string, error: string | null) =>
  (error === null ? Effect.logInfo("heartbeat arrives again") : Effect.logWarning("heartbeat does not arrive")).pipe(
    Effect.annotateLogs(error === null ? { road } : { road, error })
  )
