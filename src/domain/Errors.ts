/** How a send, the store and an agent can fail. */
import { Schema } from "effect"

/** Refused for now; asking again sooner than the wait is of no use. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  detail: Schema.String,
  retryAfterMillis: Schema.Number,
  /** Who has to wait: one chat, or everything of the account. */
  scope: Schema.Literals(["chat", "account"])
}) {
  override get message() {
    return `rate limited for ${this.retryAfterMillis} ms: ${this.detail}`
  }
}

/** Not taken, and worth another try: the request never reached the platform, or it said so. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { detail: Schema.String }) {
  override get message() {
    return `not sent: ${this.detail}`
  }
}

/** The request went out and no answer came: the platform may have taken it. */
export class Unknown extends Schema.TaggedError<Unknown>()("Unknown", { detail: Schema.String }) {
  override get message() {
    return `no answer: ${this.detail}`
  }
}

/** Refused for good; the same request would be refused again. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  code: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `refused (${this.code}): ${this.detail}`
  }
}

export const SendErrorReason = Schema.Union([RateLimited, Unavailable, Unknown, Rejected])
export type SendErrorReason = typeof SendErrorReason.Type

export class SendError extends Schema.TaggedError<SendError>()("SendError", { reason: SendErrorReason }) {
  override get message() {
    return this.reason.message
  }
}

/** The store did not do what it was asked. `unusable` means that it will not by itself: corrupt, newer, not writable. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  detail: Schema.String,
  unusable: Schema.Boolean,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `store: ${this.operation}: ${this.detail}`
  }
}

/** The turn failed. `detail` is for the operator; the user is told one line without it. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `agent: ${this.detail}`
  }
}
