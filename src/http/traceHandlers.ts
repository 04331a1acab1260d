/** What became of one message, put into words. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { format } from "../domain/Address.ts"
import { iso, isoOrNull } from "../domain/instant.ts"
import { traceIdOf } from "../domain/traceId.ts"
import type { DeliveryRow, TracedEntry } from "../store/TraceStore.ts"
import { TraceStore } from "../store/TraceStore.ts"
import { Api } from "./Api.ts"
import { NotFound, unavailable } from "./problems.ts"
import { answerOf } from "./traceAnswer.ts"
import type { TracedDelivery, TracedMessage } from "./traceGroup.ts"
import { stepsOf } from "./traceSteps.ts"

const unheardOf = (id: string) =>
  new NotFound({
    what: `nothing is known of "${id}"`,
    where: "the message's id",
    hint: "it never reached the gateway, or is older than `keep.messages` (a refusal: than 24 h); GET /api/platforms/{id}/timeline tells when a link was down"
  })

export const traces = HttpApiBuilder.group(
  Api,
  "traces",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* TraceStore
    return handlers.handleAll({
      trace: Effect.fnUntraced(function* ({ params: { id } }) {
        const traced = yield* Effect.mapError(store.trace(id), unavailable)
        const answer = answerOf(traced)
        if (answer === null) return yield* unheardOf(id)
        return {
          id,
          answer,
          steps: stepsOf(traced),
          messages: traced.entries.map(messageOf),
          refused: traced.refused.map((refusal) => ({ ...refusal, at: iso(refusal.at) })),
          deliveries: traced.deliveries.map(deliveryOf)
        }
      })
    })
  })
).pipe(Layer.provide(TraceStore.layer))

const messageOf = (entry: TracedEntry): typeof TracedMessage.Type => ({
  address: format(entry),
  eventId: entry.eventId,
  messageId: entry.messageId,
  job: entry.job,
  scheduledAt: isoOrNull(entry.scheduledAt),
  session: entry.session,
  turn: entry.turn,
  traceId: traceIdOf(entry.turn),
  receivedAt: iso(entry.receivedAt),
  linkSince: isoOrNull(entry.linkSince),
  copies: entry.copies,
  before: entry.before.map(({ begunAt, turn }) => ({ turn, begunAt: isoOrNull(begunAt) })),
  attempts: entry.attempts,
  begunAt: isoOrNull(entry.begunAt),
  endedAt: isoOrNull(entry.endedAt),
  outcome: entry.outcome,
  error: entry.error,
  replies: entry.replies.map(deliveryOf)
})

const deliveryOf = (row: DeliveryRow): typeof TracedDelivery.Type => ({
  id: row.id,
  address: format(row),
  state: row.state,
  attempts: row.attempts,
  createdAt: iso(row.createdAt),
  nextAttemptAt: row.state === "pending" ? iso(row.notBefore) : null,
  endedAt: isoOrNull(row.endedAt),
  unknown: row.unknown !== 0,
  messageId: row.messageId,
  lastError: row.lastError,
  ahead: row.ahead
})
