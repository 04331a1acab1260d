/**
 * Wire → domain: an event's JSON becomes what the gateway knows, or the name of what it is that the gateway does not want.
 * Pure and total. Feishu → **translate** → Connection.
 */
import { Option, Schema } from "effect"
import type { PlatformId } from "../../domain/Address.ts"
import type { MessageArrived, Sender } from "../../domain/Inbound.ts"
import type { NameOf } from "./content.ts"
import { contentOf } from "./content.ts"

/** What has to be known to read an event. */
export interface Reader {
  readonly platform: PlatformId
  readonly appId: string
  /** The bot's own `open_id`; null until it was learnt. */
  readonly botId: string | null
  readonly nowMillis: number
}

export type Translated =
  | { readonly _tag: "Message"; readonly event: MessageArrived }
  | { readonly _tag: "Other"; readonly what: string }

const text = Schema.optional(Schema.NullOr(Schema.String))

/** Schema 2.0 has a header; 1.0 named the event's type in the event itself. */
const Envelope = Schema.Struct({
  header: Schema.optional(Schema.Struct({ event_id: Schema.NonEmptyString, event_type: Schema.NonEmptyString })),
  uuid: text,
  event: Schema.optional(Schema.Unknown)
})
const Legacy = Schema.Struct({ type: Schema.NonEmptyString })

const Person = Schema.Struct({ open_id: text, user_id: text, union_id: text })
const Mention = Schema.Struct({
  key: Schema.NonEmptyString,
  name: text,
  mentioned_type: text,
  id: Schema.optional(Schema.NullOr(Person))
})
type Mention = typeof Mention.Type

const Received = Schema.Struct({
  sender: Schema.Struct({ sender_id: Schema.optional(Schema.NullOr(Person)), sender_type: text }),
  message: Schema.Struct({
    message_id: Schema.NonEmptyString,
    parent_id: text,
    thread_id: text,
    create_time: Schema.optional(Schema.Union([Schema.String, Schema.Number, Schema.Null])),
    chat_id: Schema.NonEmptyString,
    chat_type: text,
    message_type: text,
    content: text,
    // Read one by one: a mention of a new shape must not cost the message.
    mentions: Schema.optional(Schema.Unknown)
  })
})

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)
const decodeLegacy = Schema.decodeUnknownOption(Legacy)
const decodeReceived = Schema.decodeUnknownOption(Received)
const decodeMention = Schema.decodeUnknownOption(Mention)

export const translate = (json: unknown, reader: Reader): Translated => {
  const envelope = Option.getOrUndefined(decodeEnvelope(json))
  if (envelope?.header === undefined) {
    const legacy = decodeLegacy(envelope?.event)
    return other(Option.isSome(legacy) ? legacy.value.type : "an event without a type")
  }
  const { event_id, event_type } = envelope.header
  if (event_type !== "im.message.receive_v1") return other(event_type)
  const received = decodeReceived(envelope.event)
  if (Option.isNone(received)) return other(`${event_type}, unreadable`)
  return { _tag: "Message", event: messageArrived(event_id, received.value, reader) }
}

/** Event names are short; a longer one is cut, for it ends up in logs. */
const other = (what: string): Translated => ({ _tag: "Other", what: what.slice(0, 100) })

const messageArrived = (eventId: string, received: typeof Received.Type, reader: Reader): MessageArrived => {
  const { message } = received
  const mentions = (Array.isArray(message.mentions) ? message.mentions : []).flatMap((mention) =>
    Option.toArray(decodeMention(mention))
  )
  const content = contentOf(message.message_type ?? "", message.content ?? "", names(mentions, reader))
  return {
    _tag: "MessageArrived",
    platform: reader.platform,
    eventId,
    messageId: message.message_id,
    revision: 0,
    chat: { id: message.chat_id, type: message.chat_type === "p2p" ? "direct" : "group" },
    thread: message.thread_id || null,
    sender: senderOf(received.sender, reader),
    text: content.text,
    attachments: content.attachments,
    mentioned: mentions.some((mention) => isBot(mention, reader)),
    replyTo: message.parent_id || null,
    sentAt: instant(message.create_time, reader.nowMillis)
  }
}

/** Until the bot's own id is known, a mention of any bot is taken for its own: better one answer too many than none. */
const isBot = (mention: Mention, { botId }: Reader): boolean =>
  botId === null ? mention.mentioned_type === "bot" : mention.id?.open_id === botId

/** The bot's own name is an address and no part of what was said. */
const names = (mentions: ReadonlyArray<Mention>, reader: Reader): NameOf => {
  const byKey = new Map(
    mentions.map((mention) => [mention.key, isBot(mention, reader) ? "" : `@${mention.name || mention.key}`] as const)
  )
  return (key) => byKey.get(key) ?? (key === "@_all" ? "@all" : undefined)
}

const senderOf = (sender: (typeof Received.Type)["sender"], reader: Reader): Sender => {
  const id = sender.sender_id?.open_id || sender.sender_id?.user_id || sender.sender_id?.union_id || "unknown"
  const isSelf = id === reader.botId || id === reader.appId
  return { id, name: null, kind: isSelf ? "self" : sender.sender_type === "user" ? "person" : "bot" }
}

/** Milliseconds, as a decimal string. */
const instant = (value: string | number | null | undefined, otherwise: number): number => {
  const millis = Math.trunc(Number(value ?? ""))
  return Number.isSafeInteger(millis) && millis > 0 ? millis : otherwise
}
