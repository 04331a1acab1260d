/** How fast a platform's account and its chats may speak. Lane → **Pace** → Lane. */
import type { Platform } from "../platforms/Platform.ts"
import type { Sent } from "../schedules/delivery.ts"
import { paceMillis, withSend } from "../schedules/delivery.ts"

/** Chats whose pace is remembered; the one that spoke longest ago is forgotten first. */
const mostChats = 10_000

/** Times are milliseconds of the monotonic clock. */
export interface Pace {
  /** How long the platform wants the whole account to be silent from now on; 0 when it does not. */
  readonly silenceMillis: (now: number) => number
  /** How long the rates make this chat wait; at 0 the send that follows is on their record. */
  readonly waitMillis: (chat: string, now: number) => number
  /** The platform asked the account to be silent until then. */
  readonly silence: (until: number) => void
}

export const make = ({ capabilities: { accountRates, chatRates } }: Platform): Pace => {
  const chats = new Map<string, Sent>()
  let account: Sent = []
  let silentUntil = 0

  const remember = (chat: string, sent: Sent): void => {
    // Set anew, so that the map's order is the order of use.
    chats.delete(chat)
    chats.set(chat, sent)
    const oldest = chats.keys().next()
    if (chats.size > mostChats && oldest.done === false) chats.delete(oldest.value)
  }

  return {
    silenceMillis: (now) => Math.max(0, silentUntil - now),
    waitMillis: (chat, now) => {
      const said = chats.get(chat) ?? []
      const wait = Math.max(paceMillis(chatRates, said, now), paceMillis(accountRates, account, now))
      if (wait <= 0) {
        account = withSend(accountRates, account, now)
        remember(chat, withSend(chatRates, said, now))
      }
      return Math.max(0, wait)
    },
    silence: (until) => {
      silentUntil = Math.max(silentUntil, until)
    }
  }
}
