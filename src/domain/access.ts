/** Who is heard: `access` of the contract as one pure verdict. What is refused is acknowledged and answered by nothing. */
import { Schema } from "effect"
import type { MessageArrived } from "./Inbound.ts"

export const Access = Schema.Struct({
  direct: Schema.Literals(["open", "pairing", "allowlist"]),
  group: Schema.Literals(["mention", "all", "off"]),
  allow: Schema.Array(Schema.String),
  deny: Schema.Array(Schema.String)
})
export type Access = typeof Access.Type

export type Verdict = { readonly _tag: "Heard" } | { readonly _tag: "Refused"; readonly reason: Refusal }

/** Why a message was not heard, as it stands in the log and the store. */
export type Refusal =
  | "own message"
  | "message of a bot"
  | "sender is on deny"
  | "sender is not on allow"
  | "groups are off"
  | "bot not mentioned"
  | "edited message"

const heard: Verdict = { _tag: "Heard" }
const refused = (reason: Refusal): Verdict => ({ _tag: "Refused", reason })

/**
 * `allow` and `deny` name senders or chats. Under `direct: allowlist` a group's members must be on `allow` too, or the
 * group itself; `deny` goes before everything.
 */
export const judge = (event: MessageArrived, access: Access): Verdict => {
  if (event.sender.kind === "self") return refused("own message")
  if (event.sender.kind === "bot") return refused("message of a bot")
  if (event.revision > 0) return refused("edited message")
  const on = (list: ReadonlyArray<string>) => list.includes(event.sender.id) || list.includes(event.chat.id)
  if (on(access.deny)) return refused("sender is on deny")
  if (access.direct === "allowlist" && !on(access.allow)) return refused("sender is not on allow")
  if (event.chat.type === "group") {
    if (access.group === "off") return refused("groups are off")
    if (access.group === "mention" && !event.mentioned) return refused("bot not mentioned")
  }
  return heard
}
