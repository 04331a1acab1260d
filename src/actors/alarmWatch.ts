/** Looks every few seconds who is down for too long, tells it once, and says when it is time to give the process up. */
import { Clock, Deferred, Duration, Effect, Schema } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import { look } from "./alarms.ts"
import { Pauses } from "./Pauses.ts"
import { supervise } from "./supervise.ts"

/** No platform that could come back by itself has been connected for `escalate.after`; the process is to end with 75. */
export class Escalated extends Schema.TaggedError<Escalated>()("Escalated", {
  downForMillis: Schema.Number,
  platforms: Schema.Array(Schema.String)
}) {
  override get message() {
    return `no platform has been connected for ${Duration.format(Duration.millis(this.downForMillis))}: ${this.platforms.join(", ")}`
  }
}

export interface AlarmOptions {
  readonly alarmAfter: Duration.Duration
  /** Null: the process is never given up. */
  readonly escalateAfter: Duration.Duration | null
}

const lookEvery = Duration.seconds(5)
/** A look that comes this much after it was due was asleep itself. */
const lookLateMillis = 2_000
const progressWithin = Duration.minutes(1)

/** Watches until the scope closes. Gives what never returns, and fails when nobody has come back for too long. */
export const watch = Effect.fnUntraced(function* (
  statuses: Effect.Effect<ReadonlyArray<LinkStatus>>,
  options: AlarmOptions
) {
  const pauses = yield* Pauses
  const end = yield* Deferred.make<never, Escalated>()
  const settings = {
    alarmAfterMillis: Duration.toMillis(options.alarmAfter),
    escalateAfterMillis: options.escalateAfter === null ? null : Duration.toMillis(options.escalateAfter)
  }
  yield* supervise("alarms", { progressWithin, past: "exit" })((progress) =>
    Effect.gen(function* () {
      const told = new Set<PlatformId>()
      let from = 0
      let lookedAt = yield* Clock.currentTimeMillis
      while (true) {
        const paused = yield* Effect.raceFirst(Effect.as(Effect.sleep(lookEvery), false), Effect.as(pauses.next, true))
        yield* progress(progressWithin)
        const now = yield* Clock.currentTimeMillis
        // After a sleep either may be awake first, the pauses or this.
        if (paused || now - lookedAt > Duration.toMillis(lookEvery) + lookLateMillis) from = now
        lookedAt = now
        const links = yield* statuses
        const { raised, cleared, deafMillis } = look(links, told, settings, from, now)
        yield* tell(raised, cleared, told, now)
        if (deafMillis === null) continue
        yield* Deferred.fail(end, new Escalated({ downForMillis: deafMillis, platforms: links.map(({ id }) => id) }))
      }
    })
  )
  return Deferred.await(end)
})

/** One ERROR a platform, one line more when it is back. */
const tell = Effect.fnUntraced(function* (
  raised: ReadonlyArray<LinkStatus>,
  cleared: ReadonlyArray<LinkStatus>,
  told: Set<PlatformId>,
  now: number
) {
  for (const link of raised) {
    told.add(link.id)
    yield* Effect.logError("platform is down").pipe(Effect.annotateLogs(alarmOf(link, now)))
  }
  for (const link of cleared) {
    told.delete(link.id)
    yield* Effect.logInfo("platform is back").pipe(Effect.annotateLogs({ platform: link.id }))
  }
})

const alarmOf = (link: LinkStatus, now: number) => ({
  platform: link.id,
  state: link.state,
  for: Duration.format(Duration.millis(now - (link.downSince ?? now))),
  kind: link.lastError?.kind,
  message: link.lastError?.message,
  hint: link.lastError?.hint
})
