/** Who has been down for too long, and whether nobody has come back: `alarmAfter` and `escalate` of the contract, pure. */
import type { PlatformId } from "../domain/Address.ts"
import type { LinkStatus } from "../domain/LinkState.ts"

/** Times are Unix milliseconds. */
export interface AlarmSettings {
  readonly alarmAfterMillis: number
  /** Null: never. */
  readonly escalateAfterMillis: number | null
}

export interface Findings {
  /** Down past `alarmAfter` and not yet told. */
  readonly raised: ReadonlyArray<LinkStatus>
  /** Told before, and up again. */
  readonly cleared: ReadonlyArray<LinkStatus>
  /** Told before, and stopped or taken away since: nobody waits for it. */
  readonly dropped: ReadonlyArray<PlatformId>
  /** Every platform that could come back by itself is down, and has been for this long, past `escalate.after`. */
  readonly deafMillis: number | null
}

/** Counting begins at `from` at the earliest: sleep of the machine is no downtime, and the count starts anew after it. */
const downFor = (link: LinkStatus, from: number, now: number): number =>
  link.downSince === null || link.state === "stopped" ? 0 : now - Math.max(link.downSince, from)

export const look = (
  links: ReadonlyArray<LinkStatus>,
  told: ReadonlySet<PlatformId>,
  settings: AlarmSettings,
  from: number,
  now: number
): Findings => {
  const candidates = links.filter((link) => link.state !== "stopped" && !link.needsPerson)
  const deafMillis = Math.min(...candidates.map((link) => downFor(link, from, now)))
  const { escalateAfterMillis } = settings
  return {
    raised: links.filter((link) => !told.has(link.id) && downFor(link, from, now) >= settings.alarmAfterMillis),
    cleared: links.filter((link) => told.has(link.id) && link.state === "connected"),
    dropped: Array.from(told).filter((id) => !links.some((link) => link.id === id && link.state !== "stopped")),
    deafMillis:
      candidates.length > 0 && escalateAfterMillis !== null && deafMillis >= escalateAfterMillis ? deafMillis : null
  }
}
