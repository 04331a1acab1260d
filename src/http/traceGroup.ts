/** `GET /api/messages/{id}/trace`, schema first: "why did the bot not reply?" */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NotFound, Unavailable } from "./problems.ts"

/** Instants are ISO 8601. */
const Instant = Schema.String
const InstantOrNull = Schema.NullOr(Instant)

export const TracedDelivery = Schema.Struct({
  id: Schema.String,
  address: Schema.String,
  state: Schema.Literals(["pending", "delivered", "dead"]),
  attempts: Schema.Number,
  createdAt: Instant,
  /** Of what is pending. */
  nextAttemptAt: InstantOrNull,
  endedAt: InstantOrNull,
  /** Sent once more after an answer got lost; it may be there twice. */
  unknown: Schema.Boolean,
  /** The platform's own id of it. */
  messageId: Schema.NullOr(Schema.String),
  lastError: Schema.NullOr(Schema.String),
  /** How many messages of its chat go before it. */
  ahead: Schema.Number
})

export const TracedMessage = Schema.Struct({
  address: Schema.String,
  eventId: Schema.NullOr(Schema.String),
  messageId: Schema.NullOr(Schema.String),
  /** Of a prompt. */
  job: Schema.NullOr(Schema.String),
  scheduledAt: InstantOrNull,
  session: Schema.String,
  turn: Schema.String,
  /** Under which OTLP knows it. */
  traceId: Schema.String,
  receivedAt: Instant,
  /** Since when the link was up that it came on. */
  linkSince: InstantOrNull,
  /** How often it came again. */
  copies: Schema.Number,
  /** Turns of its session that go before it. */
  before: Schema.Array(Schema.Struct({ turn: Schema.String, begunAt: InstantOrNull })),
  attempts: Schema.Number,
  begunAt: InstantOrNull,
  endedAt: InstantOrNull,
  outcome: Schema.NullOr(Schema.Literals(["ok", "failed"])),
  error: Schema.NullOr(Schema.String),
  replies: Schema.Array(TracedDelivery)
})

export const TracedRefusal = Schema.Struct({
  platform: Schema.String,
  eventId: Schema.String,
  messageId: Schema.NullOr(Schema.String),
  reason: Schema.String,
  at: Instant
})

export const Trace = Schema.Struct({
  id: Schema.String,
  /** In plain words, what became of it and what can be done. */
  answer: Schema.String,
  /** What happened, oldest first. */
  steps: Schema.Array(Schema.Struct({ at: Instant, what: Schema.String })),
  messages: Schema.Array(TracedMessage),
  refused: Schema.Array(TracedRefusal),
  /** Those that answer none of the messages. */
  deliveries: Schema.Array(TracedDelivery)
})
export type Trace = typeof Trace.Type

/** By the platform's id of a message that came or was sent, by event id, turn id or delivery id. */
export class TraceGroup extends HttpApiGroup.make("traces").add(
  HttpApiEndpoint.get("trace", "/api/messages/:id/trace", {
    params: { id: Schema.NonEmptyString.check(Schema.isMaxLength(500)) },
    success: Trace,
    error: [NotFound, Unavailable]
  })
) {}
