/** What waits, and what a hand may do about it: the outbox and the sessions, schema first. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { DeliveryId } from "../domain/Outbound.ts"
import { SessionKey } from "../domain/Session.ts"
import { Limit } from "./limit.ts"
import { NotFound, Unavailable } from "./problems.ts"

/** Instants are ISO 8601. */
export const DeliveryView = Schema.Struct({
  id: Schema.String,
  to: Schema.String,
  text: Schema.String,
  state: Schema.Literals(["pending", "delivered", "dead"]),
  /** Tries that ended. */
  attempts: Schema.Number,
  createdAt: Schema.String,
  /** Not tried before this. */
  notBefore: Schema.String,
  /** It may have arrived twice: an answer got lost, and the platform has no key that would tell. */
  unknown: Schema.Boolean,
  lastError: Schema.NullOr(Schema.String)
})

export const SessionView = Schema.Struct({
  key: Schema.String,
  /** Messages whose turn has not ended. */
  waiting: Schema.Number,
  lastMessageAt: Schema.String,
  /** How the turn of the last message ended; null while it has not. */
  lastOutcome: Schema.NullOr(Schema.Literals(["ok", "failed"]))
})

/** It is as was asked. */
export const Done = Schema.Struct({ id: Schema.String })

export class OutboxGroup extends HttpApiGroup.make("outbox").add(
  HttpApiEndpoint.get("deliveries", "/api/outbox", {
    query: { state: Schema.optionalKey(Schema.Literals(["pending", "dead", "delivered"])), limit: Limit },
    success: Schema.Array(DeliveryView),
    error: [Unavailable]
  }),
  HttpApiEndpoint.post("retry", "/api/outbox/:id/retry", {
    params: { id: DeliveryId },
    success: Done,
    error: [NotFound, Unavailable]
  }),
  HttpApiEndpoint.delete("drop", "/api/outbox/:id", {
    params: { id: DeliveryId },
    success: Done,
    error: [NotFound, Unavailable]
  })
) {}

export class SessionsGroup extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.get("sessions", "/api/sessions", {
    query: { limit: Limit },
    success: Schema.Array(SessionView),
    error: [Unavailable]
  }),
  HttpApiEndpoint.delete("reset", "/api/sessions/:key", {
    params: { key: SessionKey },
    success: Schema.Struct({ key: Schema.String, dropped: Schema.Number }),
    error: [Unavailable]
  })
) {}
