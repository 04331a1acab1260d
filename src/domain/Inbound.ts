/**
 * What can reach a session: a message that a platform told us of, or a prompt that a cron job asks.
 * Adapters translate into this and nothing behind them knows a platform's own words.
 */
import { Schema } from "effect"
import { Address, PlatformId } from "./Address.ts"

/** Something beside text; what cannot be fetched yet is named all the same, so that nothing is silent. */
export const Attachment = Schema.Struct({
  kind: Schema.String,
  name: Schema.NullOr(Schema.String),
  /** The platform's own key of the content. */
  key: Schema.NullOr(Schema.String)
})
export type Attachment = typeof Attachment.Type

export const Sender = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["person", "bot", "self"])
})
export type Sender = typeof Sender.Type

export const Chat = Schema.Struct({
  id: Schema.NonEmptyString,
  type: Schema.Literals(["direct", "group"])
})
export type Chat = typeof Chat.Type

/** A message, as the platform delivered it. `revision` is 0 for the first form and counts the edits. Times are Unix milliseconds. */
export const MessageArrived = Schema.TaggedStruct("MessageArrived", {
  platform: PlatformId,
  eventId: Schema.NonEmptyString,
  messageId: Schema.NonEmptyString,
  revision: Schema.Int,
  chat: Chat,
  thread: Schema.NullOr(Schema.NonEmptyString),
  sender: Sender,
  text: Schema.String,
  attachments: Schema.Array(Attachment),
  /** The bot was named or replied to. */
  mentioned: Schema.Boolean,
  replyTo: Schema.NullOr(Schema.String),
  sentAt: Schema.Int
})
export type MessageArrived = typeof MessageArrived.Type

/** An occurrence of a cron job that runs a turn. `deliverTo` is where the answer goes. */
export const PromptDue = Schema.TaggedStruct("PromptDue", {
  job: Schema.NonEmptyString,
  scheduledAt: Schema.Int,
  deliverTo: Address,
  prompt: Schema.String
})
export type PromptDue = typeof PromptDue.Type

export const Inbound = Schema.Union([MessageArrived, PromptDue])
export type Inbound = typeof Inbound.Type

/** Where the answer to an event belongs. */
export const addressOf = (event: Inbound): Address => {
  switch (event._tag) {
    case "MessageArrived":
      return { platform: event.platform, chat: event.chat.id, thread: event.thread }
    case "PromptDue":
      return event.deliverTo
  }
}
