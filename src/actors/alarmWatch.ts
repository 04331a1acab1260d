/** Looks every few seconds who is down for too long, tells it once, and says when it is time to give the process up. */
import { Clock, Deferred, Duration, Effect, Schema } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import type { Findings } from "./alarms.ts"
import { look } from "./alarms.ts"
import type { Trouble } from "./bulletin.ts"
import { Notices } from "./Notices.ts"
import { Pauses } from "./Pauses.ts"
import { supervise } from "./supervise.ts"
import { Supervision } from "./Supervision.ts"

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
  const tell = yield* makeTell
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
        const paused = yield* Effect.raceFirst(
          Effect.as(Effect.sleep(lookEvery), false),
          Effect.as(pauses.nextOfTime, true)
        )
        yield* progress(progressWithin)
        const now = yield* Clock.currentTimeMillis
        // After a sleep either may be awake first, the pauses or this.
        if (paused || now - lookedAt > Duration.toMillis(lookEvery) + lookLateMillis) from = now
        lookedAt = now
        const links = yield* statuses
        const findings = look(links, told, settings, from, now)
        yield* tell(findings, told, now)
        if (findings.deafMillis === null) continue
        const platforms = links.map(({ id }) => id)
        yield* Deferred.fail(end, new Escalated({ downForMillis: findings.deafMillis, platforms }))
      }
    })
  )
  return Deferred.await(end)
})

/** One ERROR a platform and one line more when it is back; and the same by the alarms' roads. */
const makeTell = Effect.gen(function* () {
  const notices = yield* Notices
  const supervision = yield* Supervision

  return Effect.fnUntraced(function* (findings: Findings, told: Set<PlatformId>, now: number) {
    for (const link of findings.raised) {
      told.add(link.id)
      yield* Effect.logError("platform is down").pipe(Effect.annotateLogs(alarmOf(link, now)))
      yield* notices.raise(troubleOf(link, now))
    }
    for (const { id } of findings.cleared) {
      told.delete(id)
      yield* Effect.logInfo("platform is back").pipe(Effect.annotateLogs({ platform: id }))
      yield* notices.clear(keyOf(id), `${id} is back`)
    }
    // At the gateway's own stop all of them are: that heals nothing.
    if (yield* supervision.isStopping) return
    for (const id of findings.dropped) {
      told.delete(id)
      yield* notices.clear(keyOf(id), `${id} is stopped and not waited for any more`)
    }
  })
})

const downFor = (link: LinkStatus, now: number): string =>
  Duration.format(Duration.seconds(Math.round((now - (link.downSince ?? now)) / 1_000)))

const alarmOf = (link: LinkStatus, now: number) => ({
  platform: link.id,
  state: link.state,
  for: downFor(link, now),
  kind: link.lastError?.kind,
  message: link.lastError?.message,
  hint: link.lastError?.hint
})

const keyOf = (id: PlatformId): string => `platform ${id}`

const troubleOf = (link: LinkStatus, now: number): Trouble => {
  const why = link.lastError === null ? "" : ` (${link.lastError.kind}: ${link.lastError.message})`
  return {
    key: keyOf(link.id),
    platform: link.id,
    what: `${link.id} has been down for ${downFor(link, now)}${why}`,
    hint: link.lastError?.hint ?? null
  }
}
