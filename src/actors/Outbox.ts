/**
 * What was written down is sent, in order a chat, until it is delivered or dead. Session → **Outbox** → Lane → Platform.
 * A platform's lanes are served while it is attached; what is posted for one that is not, waits in the store.
 */
import { Clock, Context, Deferred, Effect, Layer, Option } from "effect"
import type { Duration, Scope } from "effect"
import type { Address, PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import { DeliveryId } from "../domain/Outbound.ts"
import { split } from "../domain/split.ts"
import { makeUlid } from "../domain/Turn.ts"
import type { Platform } from "../platforms/Platform.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { Feed } from "./Feed.ts"
import * as Lane from "./Lane.ts"
import { Roster } from "./Roster.ts"
import { Supervision } from "./Supervision.ts"
import { untilTheStoreAnswers } from "./untilTheStoreAnswers.ts"
import * as Workers from "./Workers.ts"

/** What a platform still has to say. */
export interface Lanes {
  /** The link is up: what waits for another try is tried now, unless the platform itself asked for the wait. */
  readonly nudge: Effect.Effect<void>
  /** Everything that waits is tried once more; returns when each lane is empty or its try has failed. */
  readonly flush: Effect.Effect<void>
  /** When something was last delivered, in Unix milliseconds. */
  readonly lastSentAt: Effect.Effect<number | null>
}

export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Writes a message down and lets its lane know. Once it returns, a crash loses nothing. The same key twice is one message.
     * What is longer than the platform takes is split; the id is that of its first piece.
     */
    readonly post: (message: {
      readonly to: Address
      readonly text: string
      readonly idempotencyKey?: string
    }) => Effect.Effect<DeliveryId, StoreError>
    /** By hand: a message that is dead or waits is tried at once; false where there is none. */
    readonly retry: (id: DeliveryId) => Effect.Effect<boolean, StoreError>
    /** By hand: a message that is dead or waits is not sent any more, and gone; false where there is none. */
    readonly drop: (id: DeliveryId) => Effect.Effect<boolean, StoreError>
    /** Something waits for this chat. */
    readonly wake: (platform: PlatformId, chat: string) => Effect.Effect<void>
    /** Serves a platform's lanes until the scope closes. */
    readonly open: (platform: Platform) => Effect.Effect<Lanes, never, Scope.Scope>
  }
>()("evergate/actors/Outbox") {
  /** What is older than `expire` is a dead letter. */
  static readonly layer = (options: {
    readonly expire: Duration.Duration
  }): Layer.Layer<Outbox, never, OutboxStore | Feed | Supervision | Roster> =>
    Layer.effect(
      Outbox,
      Effect.gen(function* () {
        const store = yield* OutboxStore
        const feed = yield* Feed
        const supervision = yield* Supervision
        const roster = yield* Roster
        const served = new Map<PlatformId, Served>()

        const wake = (platform: PlatformId, chat: string): Effect.Effect<void> =>
          Effect.suspend(() => served.get(platform)?.wake(chat) ?? Effect.void)

        const retry = Effect.fnUntraced(function* (id: DeliveryId) {
          const lane = yield* store.revive(id, yield* Clock.currentTimeMillis)
          if (Option.isNone(lane)) return false
          const { chat, platform } = lane.value
          yield* wake(platform, chat)
          // It may be what its lane is waiting with.
          yield* served.get(platform)?.nudge ?? Effect.void
          return true
        })

        const drop = Effect.fnUntraced(function* (id: DeliveryId) {
          const lane = yield* store.drop(id, yield* Clock.currentTimeMillis)
          if (Option.isNone(lane)) return false
          // What stood behind it waits no longer.
          yield* served.get(lane.value.platform)?.nudge ?? Effect.void
          return true
        })

        const post: Outbox["Service"]["post"] = Effect.fnUntraced(function* ({ to, text, idempotencyKey }) {
          const limit = roster.find(to.platform)?.capabilities.textLimit ?? Number.POSITIVE_INFINITY
          const [beginning = text, ...others] = split(text, limit)
          const at = yield* Clock.currentTimeMillis
          const keep = Effect.gen(function* () {
            const id = DeliveryId.make(`d_${yield* makeUlid}`)
            const message = { id, address: to, text: beginning, replyTo: null }
            const kept = yield* store.post(message, idempotencyKey ?? null, at)
            // Named by the first, so that one that is posted again is not kept again.
            for (const [nth, text] of others.entries()) {
              yield* store.post({ ...message, id: DeliveryId.make(`${kept}-${nth + 1}`), text }, null, at)
            }
            return kept
          })
          // Who asked may be gone before it is kept: what is kept must not lie there until something else wakes its lane.
          return yield* Effect.uninterruptible(Effect.tap(keep, wake(to.platform, to.chat)))
        })

        const open = Effect.fnUntraced(function* (platform: Platform) {
          const signals = yield* makeSignals
          const crew = yield* supervision.registerCrew(`lanes ${platform.id}`, platform.id)
          const lane = yield* Lane.make(platform, { ...options, crew, signals, store, feed })
          const workers = yield* Workers.make(lane.step)
          yield* Effect.acquireRelease(
            Effect.sync(() => served.set(platform.id, { wake: workers.wake, nudge: signals.nudge })),
            () => Effect.sync(() => served.delete(platform.id))
          )
          const waiting = yield* untilTheStoreAnswers("outbox")(store.lanes(platform.id))
          yield* Effect.forEach(waiting, workers.wake, { discard: true })
          const lanes: Lanes = {
            nudge: signals.nudge,
            flush: Effect.andThen(
              signals.hurry,
              workers.rest(() => true)
            ),
            lastSentAt: Effect.sync(lane.lastSentAt)
          }
          return lanes
        })

        return Outbox.of({ post, retry, drop, wake, open })
      })
    )
}

/** How the lanes of an attached platform are spoken to. */
interface Served {
  readonly wake: (chat: string) => Effect.Effect<void>
  readonly nudge: Effect.Effect<void>
}

/** How lanes that wait are told not to. */
const makeSignals = Effect.gen(function* () {
  let coming = yield* Deferred.make<void>()
  const hurried = yield* Deferred.make<void>()
  const signals: Lane.Signals & { readonly nudge: Effect.Effect<void>; readonly hurry: Effect.Effect<void> } = {
    nudged: Effect.suspend(() => Deferred.await(coming)),
    hurried: Deferred.await(hurried),
    isHurried: () => Deferred.isDoneUnsafe(hurried),
    nudge: Effect.suspend(() => {
      const waiting = coming
      coming = Deferred.makeUnsafe<void>()
      return Effect.asVoid(Deferred.succeed(waiting, undefined))
    }),
    hurry: Effect.asVoid(Deferred.succeed(hurried, undefined))
  }
  return signals
})
