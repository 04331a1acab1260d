/** "Why did the bot not reply?", answered in a sentence from what the store knows. Pure. */
import type { Refusal } from "../domain/access.ts"
import { iso } from "../domain/instant.ts"
import type { DeliveryRow, RefusedRow, Traced, TracedEntry } from "../store/TraceStore.ts"

/** Null: nothing is known. What was accepted goes before what was refused, such as an edit of the same message. */
export const answerOf = ({ entries, refused, deliveries }: Traced): string | null => {
  const entry = entries.at(-1)
  if (entry !== undefined) return ofEntry(entry)
  const refusal = refused.at(-1)
  if (refusal !== undefined) return ofRefusal(refusal)
  return deliveries.length > 0 ? ofDeliveries(deliveries, "The message") : null
}

const ofEntry = (entry: TracedEntry): string => {
  if (entry.endedAt === null) return `Not answered yet: ${waitOf(entry)}.`
  const said = entry.replies.length > 0 ? ofDeliveries(entry.replies, "The answer") : null
  if (entry.outcome === "failed") {
    const told = said === null ? "The chat was told nothing." : `What the chat was told of it: ${said}`
    return `Not answered: its turn failed: ${firstLine(entry.error)}. ${told}`
  }
  return said ?? "Not answered: the agent had nothing to say; its turn ended well, without a reply."
}

const waitOf = ({ attempts, before, begunAt, turn }: TracedEntry): string => {
  if (begunAt !== null) return `its turn ${turn} runs since ${iso(begunAt)}, attempt ${attempts}`
  const [first] = before
  if (first === undefined) {
    return "its turn has not begun; its platform is stopped, or as many turns as may run at once are running"
  }
  const state = first.begunAt === null ? "has not begun" : `runs since ${iso(first.begunAt)}`
  return `it waits behind ${counted(before.length, "turn")} of its session, of which ${first.turn} ${state}`
}

const ofDeliveries = (deliveries: ReadonlyArray<DeliveryRow>, what: string): string => {
  const dead = deliveries.find(({ state }) => state === "dead")
  if (dead !== undefined) {
    const retry = `\`evergate outbox retry ${dead.id}\` sends it again`
    return `${what} was not delivered: ${firstLine(dead.lastError)}; ${retry}.`
  }
  const pending = deliveries.find(({ state }) => state === "pending")
  if (pending !== undefined) return `${what} is not delivered yet: ${pauseOf(pending)}.`
  const last = Math.max(...deliveries.map(({ createdAt, endedAt }) => endedAt ?? createdAt))
  const twice = deliveries.some(({ unknown }) => unknown !== 0)
    ? " The platform's word on an earlier try got lost, so it may be there twice."
    : ""
  return `${what} was delivered: ${counted(deliveries.length, "message")}, the last at ${iso(last)}.${twice}`
}

const pauseOf = ({ ahead, attempts, lastError, notBefore }: DeliveryRow): string => {
  if (lastError !== null)
    return `${lastError}; after ${counted(attempts, "try", "tries")} the next is at ${iso(notBefore)}`
  return ahead > 0 ? `${counted(ahead, "message")} of its chat go first` : "it waits for its first try"
}

const ofRefusal = ({ platform, reason }: RefusedRow): string => {
  const why: Readonly<Record<string, string>> = reasons
  return `Not answered: ${platform} refused it, "${reason}". ${why[reason] ?? "See `access` in the settings."}`
}

/** Each reason of `access`, with the setting that it hangs on. */
const reasons: Readonly<Record<Refusal, string>> = {
  "own message": "The bot does not answer itself.",
  "message of a bot": "Other bots are not answered.",
  "sender is on deny": "`access.deny` names its sender or its chat.",
  "sender is not on allow": "`access.direct` is `allowlist`, and `access.allow` names neither its sender nor its chat.",
  "groups are off": "`access.group` is `off`.",
  "bot not mentioned": "In a group the bot is heard where it is mentioned or replied to (`access.group: mention`).",
  "edited message": "An edit is not answered; the first form of the message was judged by itself."
}

/** The rest is a stack. */
export const firstLine = (error: string | null): string => error?.split("\n", 1)[0] ?? "without a cause"

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
