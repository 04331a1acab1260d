/** Which messages share a conversation: one key rule, `sessions.scope` of the contract. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import type { Inbound } from "./Inbound.ts"
import { addressOf } from "./Inbound.ts"

export const SessionKey = Schema.NonEmptyString.pipe(Schema.brand("SessionKey"))
export type SessionKey = typeof SessionKey.Type

/** `chat`: all of a chat; `user`: a person within a chat; `thread`: a thread, or the chat outside of threads. */
export const SessionScope = Schema.Literals(["chat", "user", "thread"])
export type SessionScope = typeof SessionScope.Type

export const keyOf = (event: Inbound, scope: SessionScope): SessionKey => {
  const address = addressOf(event)
  switch (scope) {
    case "chat":
      return SessionKey.make(Address.format({ ...address, thread: null }))
    case "thread":
      return SessionKey.make(Address.format(address))
    case "user":
      return SessionKey.make(
        event._tag === "MessageArrived"
          ? `${Address.format({ ...address, thread: null })}/${event.sender.id}`
          : Address.format({ ...address, thread: null })
      )
  }
}
