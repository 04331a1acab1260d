/** What the store keeps of troubles: messages that could not be said, and how each link last failed. Pure. */
import { Duration } from "effect"
import { format as formatAddress } from "../domain/Address.ts"
import type { Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import { iso } from "../domain/instant.ts"
import type { LinkChange } from "../domain/LinkState.ts"
import type { Status } from "../http/Status.ts"
import type { Overview } from "../store/overview.ts"

/** Named one by one; the others are counted. */
const mostNamed = 3
/** What waits longer than this is stuck. */
const stuckMillis = 10 * 60_000
/** A loss that is older is history. */
const recentMillis = 24 * 3_600_000

export const examineOutbox = ({ dead, pending }: Overview, now: number): ReadonlyArray<Finding> => {
  const { ok, warn } = about(null)
  const waited = pending.oldestAt === null ? 0 : now - pending.oldestAt
  const waits = `messages that wait: ${pending.count}`
  const stuck =
    waited > stuckMillis
      ? [
          warn(
            "outbox",
            `${waits}, the oldest for ${duration(waited)}`,
            "evergate outbox list; see the platform's lines above"
          )
        ]
      : []
  if (dead.count === 0) return stuck.length > 0 ? stuck : [ok("outbox", `${waits}; given up: none`)]
  const named = dead.newest
    .slice(0, mostNamed)
    .map(({ address, id, lastError }) => `${id} to ${formatAddress(address)}: ${lastError ?? "without a reason"}`)
  const more = dead.count > named.length ? `, and ${dead.count - named.length} more` : ""
  const remedy = `evergate outbox retry ${dead.newest[0]?.id ?? "ID"}, or evergate outbox drop ID`
  return [warn("outbox", `messages given up: ${dead.count}: ${named.join("; ")}${more}`, remedy), ...stuck]
}

/** How the links are, by the gateway that has them; without it, how they last failed. */
export const examineLinks = (
  platforms: ReadonlyArray<string>,
  timelines: Overview["timelines"],
  status: Status | null,
  now: number
): ReadonlyArray<Finding> =>
  status === null
    ? platforms.flatMap((id) => lastFailure(id, timelines.get(id) ?? [], now))
    : status.platforms.map(({ id, lastError, since, state }) => {
        const { fail, ok, warn } = about(id)
        if (state === "connected") return ok("link", `connected since ${since}`)
        if (state === "stopped") return warn("link", `stopped by hand at ${since}`, `evergate platforms start ${id}`)
        return lastError === null
          ? warn("link", `${state} since ${since}`, "evergate status")
          : fail("link", `${state}: ${lastError.kind}: ${lastError.message} (${lastError.at})`, lastError.hint)
      })

const lastFailure = (id: string, timeline: ReadonlyArray<LinkChange>, now: number): ReadonlyArray<Finding> => {
  const last = timeline.find(({ kind }) => kind !== null)
  if (last === undefined || now - last.at > recentMillis) return []
  // A planned hand-over is no trouble, and what came up again afterwards is over.
  const isOver = timeline.some(({ at, state }) => state === "connected" && at > last.at)
  const seen = `last failure at ${iso(last.at)}: ${last.kind ?? ""}: ${last.message ?? ""}`
  return [
    isOver
      ? about(id).ok("link", `${seen}; it came back`)
      : about(id).warn("link", seen, "evergate start; then evergate status")
  ]
}

const duration = (millis: number): string => Duration.format(Duration.seconds(Math.round(millis / 1_000)))
