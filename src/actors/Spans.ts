/**
 * One trace a message: received → stored → acknowledged → turn → sent. Its name is made of the turn's id, and the span that
 * all others hang on has a name made of that, so that what a later process does joins what an earlier one began. Where
 * nobody wants spans, none is made.
 */
import { Clock, Context, Effect } from "effect"
import { format } from "../domain/Address.ts"
import type { MessageArrived } from "../domain/Inbound.ts"
import { addressOf } from "../domain/Inbound.ts"
import { rootSpanIdOf, spanIdOf, traceIdOf } from "../domain/traceId.ts"
import type { InboxEntry, NewEntry } from "../store/InboxStore.ts"
import type { Delivery } from "../store/OutboxStore.ts"

/** What never holds a text that somebody wrote, nor a secret. Times are Unix milliseconds. */
export interface Span {
  readonly name: "message" | "stored" | "acknowledged" | "queued" | "turn" | "sent"
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly startAt: number
  readonly endAt: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly error: string | null
}

export interface Spans {
  /** Messages that were new, or prompts that were due, are on the disk. */
  readonly stored: (entries: ReadonlyArray<NewEntry>) => Effect.Effect<void>
  readonly acknowledged: (entries: ReadonlyArray<NewEntry>) => Effect.Effect<void>
  readonly turn: (entry: InboxEntry, startAt: number, error: string | null) => Effect.Effect<void>
  /** One try; `error` is null when the platform took it. */
  readonly sent: (delivery: Delivery, startAt: number, error: string | null) => Effect.Effect<void>
}

const off: Spans = {
  stored: () => Effect.void,
  acknowledged: () => Effect.void,
  turn: () => Effect.void,
  sent: () => Effect.void
}

export const Spans = Context.Reference<Spans>("evergate/actors/Spans", { defaultValue: () => off })

/** Of whoever takes spans that have ended. It must return at once. */
export const make = (take: (span: Span) => void): Spans => ({
  stored: (entries) =>
    ended((now) => {
      for (const entry of entries) {
        const { receivedAt, turn } = entry
        take({ ...rootOf(turn), name: "message", startAt: receivedAt, endAt: now, attributes: attributesOf(entry) })
        take({ ...childOf(turn, "stored"), name: "stored", startAt: receivedAt, endAt: now })
      }
    }),
  acknowledged: (entries) =>
    ended((now) => {
      for (const { receivedAt, turn } of entries) {
        take({ ...childOf(turn, "acknowledged"), name: "acknowledged", startAt: receivedAt, endAt: now })
      }
    }),
  turn: (entry, startAt, error) =>
    ended((now) => {
      const { attempts, receivedAt, turn } = entry
      const attributes = { ...attributesOf(entry), "evergate.attempt": attempts }
      take({ ...childOf(turn, `queued ${attempts}`), name: "queued", startAt: receivedAt, endAt: startAt })
      take({ ...childOf(turn, `turn ${attempts}`), name: "turn", startAt, endAt: now, attributes, error })
    }),
  sent: ({ address, attempts, id }, startAt, error) =>
    ended((now) => {
      const attributes = {
        "evergate.delivery": id,
        "evergate.address": format(address),
        "evergate.attempt": attempts + 1
      }
      const child = childOf(id, `sent ${id} ${startAt}`)
      // What no turn said has nothing above it.
      const parentId = id.startsWith("t_") ? child.parentId : null
      take({ ...child, parentId, name: "sent", startAt, endAt: now, attributes, error })
    })
})

const ended = (take: (now: number) => void): Effect.Effect<void> => Effect.map(Clock.currentTimeMillis, take)

const plain = { attributes: {}, error: null }

const rootOf = (turn: string) => {
  const traceId = traceIdOf(turn)
  return { ...plain, traceId, spanId: rootSpanIdOf(traceId), parentId: null }
}

const childOf = (id: string, what: string) => {
  const traceId = traceIdOf(id)
  return { ...plain, traceId, spanId: spanIdOf(`${traceId} ${what}`), parentId: rootSpanIdOf(traceId) }
}

const attributesOf = ({ event, session, turn }: NewEntry): Span["attributes"] => ({
  "evergate.turn": turn,
  "evergate.session": session,
  "evergate.address": format(addressOf(event)),
  ...(event._tag === "MessageArrived" ? idsOf(event) : { "evergate.job": event.job })
})

const idsOf = ({ eventId, messageId }: MessageArrived) => ({ "evergate.event": eventId, "evergate.message": messageId })
