/** Where a link stands: the contract's states, the moves between them, and what a status line says. Times are Unix milliseconds. */
import { Duration } from "effect"
import type { PlatformId } from "./Address.ts"
import type { LastError, LinkError } from "./LinkError.ts"
import { lastError } from "./LinkError.ts"

export type LinkState = "connecting" | "connected" | "backoff" | "failed" | "stopped"

/** Moved by `actors/Connection` alone, through the functions below. */
export interface LinkStatus {
  readonly id: PlatformId
  readonly kind: string
  readonly state: LinkState
  readonly since: number
  /** Since when it is not up; null while it is. */
  readonly downSince: number | null
  /** How long it was down in all, in outages that are over. */
  readonly deafMillis: number
  /** It failed in a way that needs a person, and has not been up or failed otherwise since. */
  readonly needsPerson: boolean
  /** Attempts since the link was last up. */
  readonly attempt: number
  readonly connects: number
  readonly disconnects: number
  readonly nextAttemptAt: number | null
  readonly lastError: LastError | null
  /** When the link last came up; null before the first time. */
  readonly lastConnectedAt: number | null
  readonly host: string | null
}

/** An entry of a platform's timeline. */
export interface LinkChange {
  readonly at: number
  readonly state: LinkState
  readonly kind: string | null
  readonly message: string | null
  readonly attempt: number
  readonly nextAttemptAt: number | null
}

/** A move, given the time. */
export type LinkMove = (status: LinkStatus, now: number) => LinkStatus

export const initial = (id: PlatformId, kind: string, now: number): LinkStatus => ({
  id,
  kind,
  state: "connecting",
  since: now,
  downSince: now,
  deafMillis: 0,
  needsPerson: false,
  attempt: 0,
  connects: 0,
  disconnects: 0,
  nextAttemptAt: null,
  lastError: null,
  lastConnectedAt: null,
  host: null
})

const enter = (status: LinkStatus, state: LinkState, now: number): LinkStatus => ({
  ...status,
  state,
  since: status.state === state ? status.since : now,
  nextAttemptAt: null
})

/** The outage is over, by itself or because somebody stopped the link: then nobody is waited for. */
const withOutage = ({ deafMillis, downSince, state }: LinkStatus, now: number): number =>
  deafMillis + (downSince === null || state === "stopped" ? 0 : Math.max(0, now - downSince))

/**
 * From `connected` only when a link that said goodbye ended before its successor was up. The time that a platform was
 * stopped is no downtime.
 */
export const toConnecting: LinkMove = (status, now) => ({
  ...enter(status, "connecting", now),
  downSince: status.state === "stopped" ? now : (status.downSince ?? now),
  disconnects: status.disconnects + (status.state === "connected" ? 1 : 0),
  attempt: status.attempt + 1
})

export const toConnected =
  (host: string): LinkMove =>
  (status, now) => ({
    ...enter(status, "connected", now),
    downSince: null,
    deafMillis: withOutage(status, now),
    needsPerson: false,
    attempt: 0,
    connects: status.connects + 1,
    lastConnectedAt: now,
    host
  })

/** A failure, and the wait that follows it. */
export const toSetback =
  (state: "backoff" | "failed", error: LinkError, delay: Duration.Duration): LinkMove =>
  (status, now) => ({
    ...enter(status, state, now),
    downSince: status.downSince ?? now,
    needsPerson: state === "failed",
    disconnects: status.disconnects + (status.state === "connected" ? 1 : 0),
    nextAttemptAt: now + Math.round(Duration.toMillis(delay)),
    lastError: lastError(error, now)
  })

export const toStopped: LinkMove = (status, now) => ({
  ...enter(status, "stopped", now),
  deafMillis: withOutage(status, now),
  downSince: status.downSince ?? now
})

/** What the timeline keeps of a move. */
export const changeOf = (before: LinkStatus, after: LinkStatus, now: number): LinkChange => {
  const error = after.lastError === before.lastError ? null : after.lastError
  return {
    at: now,
    state: after.state,
    kind: error?.kind ?? null,
    message: error?.message ?? null,
    attempt: after.attempt,
    nextAttemptAt: after.nextAttemptAt
  }
}
