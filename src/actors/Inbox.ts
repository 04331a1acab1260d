/** Keeps each event before anyone acts on it. Connection → **Inbox** → Sessions. */
import { Clock, Context, Effect, Layer } from "effect"
import type { Access } from "../domain/access.ts"
import { judge } from "../domain/access.ts"
import * as Address from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { MessageArrived } from "../domain/Inbound.ts"
import { addressOf } from "../domain/Inbound.ts"
import type { SessionScope } from "../domain/Session.ts"
import { keyOf } from "../domain/Session.ts"
import { makeTurnId } from "../domain/Turn.ts"
import type { Platform } from "../platforms/Platform.ts"
import type { NewEntry, Refused } from "../store/InboxStore.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { Feed } from "./Feed.ts"
import { Sessions } from "./Sessions.ts"

export interface InboxCounts {
  readonly accepted: number
  readonly duplicates: number
  readonly refused: number
}

export class Inbox extends Context.Service<
  Inbox,
  {
    /**
     * Judges the events, keeps what is heard in one transaction and wakes its sessions; once it returns, the platform may
     * be told so. A known event is accepted and dropped. `resume` is kept with them.
     */
    readonly accept: (
      platform: Platform,
      events: ReadonlyArray<MessageArrived>,
      resume?: string
    ) => Effect.Effect<void, StoreError>
    /** Since the start of the process. */
    readonly counts: Effect.Effect<InboxCounts>
  }
>()("evergate/actors/Inbox") {
  static readonly layer = (options: {
    readonly scope: SessionScope
  }): Layer.Layer<Inbox, never, InboxStore | Sessions | Feed> =>
    Layer.effect(
      Inbox,
      Effect.gen(function* () {
        const store = yield* InboxStore
        const sessions = yield* Sessions
        const feed = yield* Feed
        let counts: InboxCounts = { accepted: 0, duplicates: 0, refused: 0 }

        const count = ({ accepted = 0, duplicates = 0, refused = 0 }: Partial<InboxCounts>) => {
          counts = {
            accepted: counts.accepted + accepted,
            duplicates: counts.duplicates + duplicates,
            refused: counts.refused + refused
          }
        }

        const refuse = Effect.fnUntraced(function* (refused: ReadonlyArray<Refused>) {
          yield* store.refuse(refused)
          count({ refused: refused.length })
          for (const { platform, eventId, messageId, reason, at } of refused) {
            yield* Effect.logInfo("refused").pipe(
              Effect.annotateLogs({ platform, event: eventId, message: messageId, reason })
            )
            yield* feed.tell({ _tag: "MessageRefused", platform, eventId, reason, at })
          }
        })

        const keep = Effect.fnUntraced(function* (
          platform: Platform,
          entries: ReadonlyArray<NewEntry<MessageArrived>>,
          resume: string | undefined
        ) {
          const isNew = yield* (
            store
              .accept(entries, resume === undefined ? undefined : { platform: platform.id, token: resume })
              // Whatever the answer: one that got lost may have been a yes, and nobody else would wake them.
              .pipe(
                Effect.ensuring(Effect.forEach(entries, ({ session }) => sessions.wake(session), { discard: true }))
              )
          )
          const kept = entries.filter((_, index) => isNew[index] === true)
          count({ accepted: kept.length, duplicates: entries.length - kept.length })
          for (const entry of kept) yield* feed.tell(told(entry))
        })

        const accept = Effect.fnUntraced(function* (
          platform: Platform,
          events: ReadonlyArray<MessageArrived>,
          resume?: string
        ) {
          const at = yield* Clock.currentTimeMillis
          const { heard, refused } = sort(events, platform.access, at)
          const entries: Array<NewEntry<MessageArrived>> = []
          for (const event of heard) {
            entries.push({ event, session: keyOf(event, options.scope), turn: yield* makeTurnId, receivedAt: at })
          }
          // The end of a link must not fall between the commit and the wake: what is kept is also begun.
          if (entries.length > 0 || resume !== undefined) {
            // The end of a link must not fall between the commit and the wake: what is kept is also begun.
            yield* Effect.uninterruptible(keep(platform, entries, resume))
          }
          if (refused.length > 0) yield* refuse(refused)
        })

        return Inbox.of({ accept, counts: Effect.sync(() => counts) })
      })
    )
}

const sort = (events: ReadonlyArray<MessageArrived>, access: Access, at: number) => {
  const heard: Array<MessageArrived> = []
  const refused: Array<Refused> = []
  for (const event of events) {
    const verdict = judge(event, access)
    if (verdict._tag === "Heard") heard.push(event)
    else {
      const { eventId, messageId, platform } = event
      refused.push({ platform, eventId, messageId, reason: verdict.reason, at })
    }
  }
  return { heard, refused }
}

const told = ({ event, receivedAt }: NewEntry<MessageArrived>) => ({
  _tag: "MessageAccepted" as const,
  address: Address.format(addressOf(event)),
  messageId: event.messageId,
  sender: event.sender.name ?? event.sender.id,
  text: event.text,
  at: receivedAt
})
