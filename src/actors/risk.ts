/** What another try of a message risks, and what a try leaves known. Pure; times are Unix milliseconds. */
import { Duration } from "effect"
import type { SendErrorReason } from "../domain/Errors.ts"
import type { Delivery } from "../store/OutboxStore.ts"

/** Nothing; a second message, once; or a second message where one was risked before. */
export type Risk = "none" | "once" | "twice"

/** A try that did not end the matter. */
export interface Tried {
  readonly row: Delivery
  readonly reason: SendErrorReason
  readonly risk: Risk
  /** When it began: from then on the platform may remember it, however long the machine slept in its middle. */
  readonly at: number
}

/**
 * Since when the platform may know the message. A definite no takes back what its own try was marked with; it tells
 * nothing of an answer that got lost before.
 */
export const unknownAfter = ({ row, reason, risk, at }: Tried): number | null => {
  if (reason._tag === "Unknown") return row.unknownAt ?? at
  return risk === "none" ? row.unknownAt : null
}

/**
 * Nothing while the platform remembers the id (`life`; null: it has no memory), else a second message. A message of an
 * earlier process may have been sent by it without a trace, so its age counts.
 */
export const riskOf = (row: Delivery, life: Duration.Duration | null, openedAt: number, now: number): Risk => {
  if (life !== null) {
    const since = row.unknownAt ?? (row.createdAt < openedAt ? row.createdAt : now)
    if (now - since < Duration.toMillis(life)) return "none"
  }
  return row.unknown && row.unknownAt !== null ? "twice" : "once"
}
