/**
 * One chat's messages, one after the other, by its pace and the account's. Outbox → **Lane** → Platform.
 *
 * A message is tried until the platform took it or refused it for good, or it expired. Where an answer got lost, the same
 * id is sent again as long as the platform remembers it; past that, or where it has no memory, once more at most, and the
 * entry says so.
 */
import { Cause, Clock, Duration, Effect, Exit, Option, Result, Schedule, Semaphore } from "effect"
import * as Address from "../domain/Address.ts"
import type { SendErrorReason } from "../domain/Errors.ts"
import { SendError, Unknown } from "../domain/Errors.ts"
import type { Platform } from "../platforms/Platform.ts"
import { delivery, paceMillis, withSend } from "../schedules/delivery.ts"
import type { Sent } from "../schedules/delivery.ts"
import { monotonicMillis } from "../schedules/monotonic.ts"
import type { Delivery, OutboxStore } from "../store/OutboxStore.ts"
import type { Feed } from "./Feed.ts"
import { untilTheStoreAnswers } from "./untilTheStoreAnswers.ts"

export interface Signals {
  /** The next time that waiting for another try is of no more use. */
  readonly nudged: Effect.Effect<void>
  /** From now on a message that cannot be sent at once is left in the store. */
  readonly hurried: Effect.Effect<void>
  readonly isHurried: () => boolean
}

export interface LaneOptions {
  readonly expire: Duration.Duration
  readonly signals: Signals
  readonly store: OutboxStore["Service"]
  readonly feed: Feed["Service"]
}

/** A net under adapters, which bound their own requests. */
const sendTimeout = Duration.seconds(60)
const sendsAtOnce = 32
/** Chats whose pace is remembered; the one that spoke longest ago is forgotten first. */
const mostPaces = 10_000
/** A wait that an earlier process wrote down is honoured up to this. */
const mostInheritedMillis = 60_000

const patiently = untilTheStoreAnswers("lane")

export const make = Effect.fnUntraced(function* (platform: Platform, { expire, signals, store, feed }: LaneOptions) {
  const { capabilities, id } = platform
  const places = yield* Semaphore.make(sendsAtOnce)
  const openedAt = yield* Clock.currentTimeMillis
  const remembers = capabilities.idempotencyLife !== null
  const chats = new Map<string, Sent>()
  let account: Sent = []
  /** Monotonic milliseconds. */
  let accountFreeAt = 0
  let lastSentAt: number | null = null

  /** Returns when both the chat and the account may speak; the send is then on their record. */
  const paced = Effect.fnUntraced(function* (chat: string) {
    while (true) {
      const now = yield* monotonicMillis
      const said = chats.get(chat) ?? []
      const wait = Math.max(
        paceMillis(capabilities.chatRates, said, now),
        paceMillis(capabilities.accountRates, account, now),
        accountFreeAt - now
      )
      if (wait <= 0) {
        account = withSend(capabilities.accountRates, account, now)
        remember(chats, chat, withSend(capabilities.chatRates, said, now))
        return
      }
      yield* Effect.sleep(Duration.millis(wait))
    }
  })

  const bury = Effect.fnUntraced(function* (row: Delivery, reason: string) {
    const at = yield* Clock.currentTimeMillis
    yield* patiently(store.bury(row.seq, reason, at))
    yield* Effect.logWarning("dead letter").pipe(Effect.annotateLogs({ platform: id, delivery: row.id, reason }))
    yield* feed.tell(ended(row, "dead", reason, at))
  })

  const delivered = Effect.fnUntraced(function* (row: Delivery, messageId: string | null) {
    const at = yield* Clock.currentTimeMillis
    lastSentAt = at
    // It is sent; that it is must be written down before the lane goes on, or it would be sent again.
    yield* patiently(store.delivered(row.seq, messageId, at))
    yield* feed.tell(ended(row, "delivered", null, at))
  })

  /** One try, and what is known after it. */
  const attempt = Effect.fnUntraced(function* (row: Delivery) {
    const exit = yield* platform
      .send(row)
      .pipe(Effect.timeoutOrElse({ duration: sendTimeout, orElse: () => noAnswer }), places.withPermit, Effect.exit)
    if (Exit.isSuccess(exit)) return yield* delivered(row, exit.value.messageId)
    const error = Cause.findError(exit.cause)
    // A send that crashes is a dead letter, no more.
    return Result.isSuccess(error) ? error.success.reason : yield* bury(row, Cause.pretty(exit.cause))
  })

  /** False when the lane is in a hurry and the message stays behind. */
  const waitFor = (delay: Duration.Duration, mayBeNudged: boolean): Effect.Effect<boolean> =>
    signals.isHurried()
      ? Effect.succeed(false)
      : Effect.raceAllFirst([
          Effect.as(Effect.sleep(delay), true),
          Effect.as(mayBeNudged ? signals.nudged : Effect.never, true),
          Effect.as(signals.hurried, false)
        ])

  const postpone = (row: Delivery, error: string, delay: Duration.Duration, at: number): Effect.Effect<Delivery> => {
    const next = {
      ...row,
      attempts: row.attempts + 1,
      notBefore: at + Math.ceil(Duration.toMillis(delay)),
      lastError: error
    }
    return Effect.as(patiently(store.postpone({ ...next, error })), next)
  }

  /** True when the message left the lane, false when it stays behind. */
  const deliver = Effect.fnUntraced(function* (first: Delivery) {
    const step = yield* Schedule.toStep(delivery)
    const inherited = first.notBefore - (yield* Clock.currentTimeMillis)
    if (inherited > 0 && !(yield* waitFor(Duration.millis(Math.min(inherited, mostInheritedMillis)), true)))
      return false
    let row = first
    while (true) {
      const now = yield* Clock.currentTimeMillis
      if (now - row.createdAt > Duration.toMillis(expire)) {
        yield* bury(
          row,
          `expired after ${Duration.format(expire)} (outbox.expire)${row.lastError === null ? "" : `: ${row.lastError}`}`
        )
        return true
      }
      const risk = riskOf(row, capabilities.idempotencyLife, openedAt, now)
      if (risk === "twice") {
        yield* bury(row, "unknown: two tries went without an answer; it may have arrived")
        return true
      }
      if (risk === "once") {
        row = {
          ...row,
          unknown: row.unknown || row.unknownAt !== null || (remembers && row.createdAt < openedAt),
          unknownAt: now
        }
        yield* patiently(store.postpone({ ...row, error: row.lastError ?? "sent, and the answer is awaited" }))
      }
      yield* paced(row.address.chat)
      const reason = yield* attempt(row)
      if (reason === undefined) return true
      if (reason._tag === "Rejected") {
        yield* bury(row, reason.message)
        return true
      }
      const [, backoff] = yield* Effect.orDie(step(now, undefined))
      const delay =
        reason._tag === "RateLimited" ? Duration.min(Duration.millis(reason.retryAfterMillis), expire) : backoff
      if (reason._tag === "RateLimited" && reason.scope === "account") {
        accountFreeAt = Math.max(accountFreeAt, (yield* monotonicMillis) + Duration.toMillis(delay))
      }
      const failedAt = yield* Clock.currentTimeMillis
      row = yield* postpone({ ...row, unknownAt: unknownAfter(row, reason, failedAt) }, reason.message, delay, failedAt)
      yield* Effect.logInfo("not sent").pipe(
        Effect.annotateLogs({ platform: id, delivery: row.id, reason: reason.message, again: Duration.format(delay) })
      )
      if (!(yield* waitFor(delay, reason._tag !== "RateLimited"))) return false
    }
  })

  return {
    step: Effect.fnUntraced(function* (chat: string) {
      const row = yield* patiently(store.next(id, chat))
      return Option.isSome(row) && (yield* deliver(row.value))
    }),
    lastSentAt: () => lastSentAt
  }
})

const noAnswer = Effect.fail(
  new SendError({
    reason: new Unknown({ detail: `the adapter did not return within ${Duration.format(sendTimeout)}` })
  })
)

/** When an answer first got lost; a definite no takes it back. */
const unknownAfter = (row: Delivery, reason: SendErrorReason, at: number): number | null =>
  reason._tag === "Unknown" ? (row.unknownAt ?? at) : null

/**
 * What another try risks: nothing while the platform remembers the id, else a second message. A message of an earlier
 * process may have been sent by it without a trace, so its age counts; `twice` is a try that was risked before.
 */
const riskOf = (
  row: Delivery,
  life: Duration.Duration | null,
  openedAt: number,
  now: number
): "none" | "once" | "twice" => {
  if (life !== null) {
    const since = row.unknownAt ?? (row.createdAt < openedAt ? row.createdAt : now)
    if (now - since < Duration.toMillis(life)) return "none"
  }
  return row.unknown && row.unknownAt !== null ? "twice" : "once"
}

const remember = (chats: Map<string, Sent>, chat: string, sent: Sent): void => {
  chats.delete(chat)
  chats.set(chat, sent)
  const oldest = chats.keys().next()
  if (chats.size > mostPaces && oldest.done === false) chats.delete(oldest.value)
}

const ended = (row: Delivery, state: "delivered" | "dead", reason: string | null, at: number) => ({
  _tag: "DeliveryEnded" as const,
  id: row.id,
  address: Address.format(row.address),
  text: row.text,
  state,
  reason,
  at
})
