/** A link as the status shows it: where it stands, and what only the link that is up knows of itself. */
import { Clock, Effect, SubscriptionRef } from "effect"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import type { Platform } from "../platforms/Platform.ts"
import type { Connection } from "./Connection.ts"

/** Silences are null while there is no link. Times are Unix milliseconds. */
export interface LinkReport extends LinkStatus {
  /** Counts neither for readiness nor for escalation. */
  readonly auxiliary: boolean
  readonly lastFrameAt: number | null
  readonly lastInboundAt: number | null
  readonly lastSentAt: number | null
  readonly pathSilenceMillis: number | null
  readonly sessionSilenceMillis: number | null
  readonly server: Readonly<Record<string, unknown>>
}

export const reportOf = Effect.fnUntraced(function* (
  platform: Platform,
  connection: Connection,
  lastSentAt: number | null
) {
  const status = yield* SubscriptionRef.get(connection.status)
  const { heard, lastInboundAt, server } = yield* connection.report
  const wall = yield* Clock.currentTimeMillis
  const now = yield* monotonicMillis
  const up = status.state === "connected" && heard !== null
  const report: LinkReport = {
    ...status,
    auxiliary: platform.auxiliary === true,
    lastFrameAt: heard === null ? lastInboundAt : Math.round(wall - (now - heard.frameAt)),
    lastInboundAt,
    lastSentAt,
    pathSilenceMillis: up ? Math.round(now - heard.byteAt) : null,
    sessionSilenceMillis: up ? Math.round(now - heard.frameAt) : null,
    server
  }
  return report
})
