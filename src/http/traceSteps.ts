/** What happened to a message, step by step. Pure. */
import { iso, isoOrNull } from "../domain/instant.ts"
import type { DeliveryRow, Traced, TracedEntry } from "../store/TraceStore.ts"
import { firstLine } from "./traceAnswer.ts"
import type { Trace } from "./traceGroup.ts"

interface Step {
  /** Unix milliseconds. */
  readonly at: number
  readonly what: string
}

/** Oldest first; what falls on one instant stays in the order of its happening. */
export const stepsOf = ({ entries, refused, deliveries }: Traced): Trace["steps"] =>
  [
    ...entries.flatMap(ofEntry),
    ...refused.map(({ at, platform, reason }): Step => ({ at, what: `refused by ${platform}: ${reason}` })),
    ...deliveries.flatMap(ofDelivery)
  ]
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, what }) => ({ at: iso(at), what }))

const ofEntry = (entry: TracedEntry): ReadonlyArray<Step> => {
  const { attempts, begunAt, endedAt, error, receivedAt, replies, turn } = entry
  const begun = begunAt === null ? [] : [{ at: begunAt, what: `turn ${turn} begun, attempt ${attempts}` }]
  const end =
    error === null
      ? `ended, ${replies.length === 0 ? "no reply" : `replies: ${replies.length}`}`
      : `failed: ${firstLine(error)}`
  const ended = endedAt === null ? [] : [{ at: endedAt, what: `turn ${end}` }]
  return [{ at: receivedAt, what: arrivalOf(entry) }, ...begun, ...ended, ...replies.flatMap(ofDelivery)]
}

const arrivalOf = ({ copies, job, linkSince, platform, scheduledAt }: TracedEntry): string => {
  if (job !== null) return `job ${job} was due at ${isoOrNull(scheduledAt)}`
  const link = linkSince === null ? "" : `, whose link was up since ${iso(linkSince)}`
  return `received from ${platform}${link}${copies === 0 ? "" : `; it came ${copies} more times, and was dropped then`}`
}

const ofDelivery = ({
  attempts,
  createdAt,
  endedAt,
  id,
  lastError,
  messageId,
  state
}: DeliveryRow): ReadonlyArray<Step> => {
  const at = endedAt ?? createdAt
  const why = lastError === null ? "" : `: ${firstLine(lastError)}`
  switch (state) {
    case "delivered":
      return [{ at, what: `${id} delivered${messageId === null ? "" : ` as ${messageId}`}, tries: ${attempts}` }]
    case "dead":
      return [{ at, what: `${id} given up, tries: ${attempts}${why}` }]
    case "pending":
      return [{ at, what: `${id} waits to be sent, tries: ${attempts}${why}` }]
  }
}
