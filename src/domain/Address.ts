/**
 * Where a message goes to or came from: `<platform id>:<chat id>[:<thread id>]`, parsed and printed here and nowhere else.
 * A `:` or `%` inside an id is percent-encoded, so that every address reads back as what was written.
 */
import { Option, Schema } from "effect"

/** The name of a platform account in addresses, logs and the status; unique within a gateway. */
export const PlatformId = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/i, {
    message: "Expected a platform id: letters, digits, `-` and `_`, at most 64, beginning with a letter or digit"
  })
).pipe(Schema.brand("PlatformId"))
export type PlatformId = typeof PlatformId.Type

/** A chat, or a thread in it. */
export const Address = Schema.Struct({
  platform: PlatformId,
  chat: Schema.NonEmptyString,
  thread: Schema.NullOr(Schema.NonEmptyString)
})
export type Address = typeof Address.Type

const escape = (id: string): string => id.replaceAll("%", "%25").replaceAll(":", "%3A")
const unescape = (id: string): string => id.replaceAll(/%3A/gi, ":").replaceAll("%25", "%")

export const format = (address: Address): string =>
  address.thread === null
    ? `${address.platform}:${escape(address.chat)}`
    : `${address.platform}:${escape(address.chat)}:${escape(address.thread)}`

const isPlatformId = Schema.is(PlatformId)

/** None when the text is not an address: a part is missing or empty, or there are more than three. */
export const parse = (text: string): Option.Option<Address> => {
  const [platform, chat, thread, ...rest] = text.split(":")
  if (rest.length > 0 || !isPlatformId(platform) || !chat || thread === "") return Option.none()
  return Option.some({ platform, chat: unescape(chat), thread: thread === undefined ? null : unescape(thread) })
}
