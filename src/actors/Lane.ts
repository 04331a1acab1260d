/**
 * One chat's messages, one after the other, by its pace and the account's. Outbox → **Lane** → Platform.
 *
 * A message is tried until the platform took it or refused it for good, or it expired. Where an answer got lost, the same
 * id is sent again as long as the platform remembers it; past that, or where it has no memory, once more at most, and the
 * entry says so.
 */
import { Cause, Clock, Duration, Effect, Exit, Metric, Option, Result, Schedule, Semaphore } from "effect"
import * as Address from "../domain/Address.ts"
import type { SendErrorReason } from "../domain/Errors.ts"
import { SendError, Unknown } from "../domain/Errors.ts"
import type { Platform } from "../platforms/Platform.ts"
import { delivery } from "../schedules/delivery.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { Delivery, OutboxStore } from "../store/OutboxStore.ts"
import type { Feed } from "./Feed.ts"
import { Mask } from "./Mask.ts"
import { deliveries } from "./metrics.ts"
import * as Pace from "./Pace.ts"
import type { Risk, Tried } from "./risk.ts"
import { riskOf, unknownAfter } from "./risk.ts"
import { Spans } from "./Spans.ts"
import type { Crew } from "./Supervision.ts"
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
  readonly crew: Crew
  readonly signals: Signals
  readonly store: OutboxStore["Service"]
  readonly feed: Feed["Service"]
}

/** A net under adapters, which bound their own requests. */
const sendTimeout = Duration.seconds(60)
const sendsAtOnce = 32
/** What is written down about a try takes no longer; past this the lane stands. */
const stepsWithin = Duration.minutes(1)
const sendWithin = Duration.sum(sendTimeout, stepsWithin)
/** What was read longer ago may have been dropped by hand since, or given another life. */
const freshMillis = 1_000
/** A wait that an earlier process wrote down is honoured up to this. */
const mostInheritedMillis = 60_000

const patiently = untilTheStoreAnswers("lane")

export const make = Effect.fnUntraced(function* (
  platform: Platform,
  { crew, expire, signals, store, feed }: LaneOptions
) {
  const { capabilities, id } = platform
  const places = yield* Semaphore.make(sendsAtOnce)
  const openedAt = yield* Clock.currentTimeMillis
  const remembers = capabilities.idempotencyLife !== null
  const pace = Pace.make(platform)
  const ends = deliveries(id)
  const spans = yield* Spans
  const mask = yield* Mask
  let lastSentAt: number | null = null
  // Both are there from the start: an increase from nothing is none to Prometheus.
  yield* Effect.andThen(Metric.update(ends.delivered, 0), Metric.update(ends.dead, 0))

  const buried = Effect.fnUntraced(function* (row: Delivery, why: string) {
    const reason = mask(why)
    const at = yield* Clock.currentTimeMillis
    yield* patiently(store.bury(row.seq, reason, at))
    yield* Effect.logWarning("dead letter").pipe(Effect.annotateLogs({ platform: id, delivery: row.id, reason }))
    yield* Metric.update(ends.dead, 1)
    yield* feed.tell(ended(row, "dead", reason, at))
    return gone(yield* patiently(store.next(id, row.address.chat)))
  })

  const delivered = Effect.fnUntraced(function* (row: Delivery, messageId: string | null) {
    const at = yield* Clock.currentTimeMillis
    lastSentAt = at
    // It is sent; that it is must be written down before the lane goes on, or it would be sent again.
    const next = yield* patiently(store.delivered(row, messageId, at))
    yield* Metric.update(ends.delivered, 1)
    yield* feed.tell(ended(row, "delivered", null, at))
    return gone(next)
  })

  /** One request, and how it ended the matter, or why it did not. */
  const attempt = Effect.fnUntraced(function* (row: Delivery) {
    // An adapter is foreign code: it may throw before there is an effect.
    const send = Effect.suspend(() => platform.send(row)).pipe(
      Effect.timeoutOrElse({ duration: sendTimeout, orElse: () => noAnswer }),
      Effect.exit
    )
    const begun = crew.progress(row.address.chat, sendWithin)
    const startAt = yield* Clock.currentTimeMillis
    const exit = yield* places.withPermit(Effect.andThen(begun, send))
    yield* crew.progress(row.address.chat, stepsWithin)
    if (Exit.isSuccess(exit)) {
      yield* spans.sent(row, startAt, null)
      return yield* delivered(row, exit.value.messageId)
    }
    const error = Cause.findError(exit.cause)
    const reason = Result.isSuccess(error) ? error.success.reason : null
    yield* spans.sent(row, startAt, reason?.message ?? Cause.pretty(exit.cause))
    // A send that crashes is a dead letter, no more.
    return reason ?? (yield* buried(row, Cause.pretty(exit.cause)))
  })

  /** False when the lane is in a hurry and the message stays behind. */
  const waitFor = Effect.fnUntraced(function* (row: Delivery, delay: Duration.Duration, mayBeNudged: boolean) {
    if (signals.isHurried()) return false
    yield* crew.progress(row.address.chat, Duration.sum(delay, stepsWithin))
    const isOver = yield* Effect.raceAllFirst([
      Effect.as(Effect.sleep(delay), true),
      Effect.as(mayBeNudged ? signals.nudged : Effect.never, true),
      Effect.as(signals.hurried, false)
    ])
    yield* crew.progress(row.address.chat, stepsWithin)
    return isOver
  })

  /** True when both the chat and the account may speak; the send is then on their record. False as with `waitFor`. */
  const paced = Effect.fnUntraced(function* (row: Delivery) {
    const { chat } = row.address
    while (true) {
      const silence = pace.silenceMillis(yield* monotonicMillis)
      // The platform asked for this wait, and it may be a long one: a stop does not sit it out.
      if (silence > 0 && !(yield* waitFor(row, Duration.millis(silence), false))) return false
      // How long the pace and a free place take is the platform's affair, and says nothing of this lane.
      yield* crew.progress(chat, Duration.infinity)
      const now = yield* monotonicMillis
      if (pace.silenceMillis(now) > 0) continue
      const wait = pace.waitMillis(chat, now)
      if (wait === 0) return true
      yield* Effect.sleep(Duration.millis(wait))
    }
  })

  const postpone = Effect.fnUntraced(function* (tried: Tried, wait: Duration.Duration) {
    const { row } = tried
    const reason = mask(tried.reason.message)
    const at = yield* Clock.currentTimeMillis
    const next: Delivery = {
      ...row,
      attempts: row.attempts + 1,
      notBefore: at + Math.ceil(Duration.toMillis(wait)),
      lastError: reason,
      unknownAt: unknownAfter(tried)
    }
    yield* patiently(store.postpone({ ...next, error: reason }))
    yield* Effect.logInfo("not sent").pipe(
      Effect.annotateLogs({ platform: id, delivery: row.id, reason, again: Duration.format(wait) })
    )
    return next
  })

  /** Where another try risks a second message, that it is made is written down first: a crash must not forget it. */
  const marked = Effect.fnUntraced(function* (row: Delivery, risk: Risk, now: number) {
    if (risk === "none") return row
    const unknown = row.unknown || row.unknownAt !== null || (remembers && row.createdAt < openedAt)
    const next = { ...row, unknown, unknownAt: now }
    yield* patiently(store.postpone({ ...next, error: row.lastError ?? "sent, and the answer is awaited" }))
    return next
  })

  /** One try, where one may be made. */
  const tryOnce = Effect.fnUntraced(function* (row: Delivery) {
    const now = yield* Clock.currentTimeMillis
    const risk = riskOf(row, capabilities.idempotencyLife, openedAt, now)
    if (now - row.createdAt > Duration.toMillis(expire)) return yield* buried(row, expired(row, expire))
    if (risk === "twice") return yield* buried(row, "unknown: two tries went without an answer; it may have arrived")
    const tried = yield* marked(row, risk, now)
    const outcome = yield* attempt(tried)
    switch (outcome._tag) {
      case "Gone":
        return outcome
      case "Rejected":
        return yield* buried(tried, outcome.message)
      default:
        return { _tag: "Tried" as const, row: tried, reason: outcome, risk, at: now }
    }
  })

  /** The wait before the next try, told to the account where it is the account's. */
  const waitAfter = Effect.fnUntraced(function* (reason: SendErrorReason, backoff: Effect.Effect<Duration.Duration>) {
    if (reason._tag !== "RateLimited") return yield* backoff
    const wait = Duration.min(Duration.millis(reason.retryAfterMillis), expire)
    if (reason.scope === "account") {
      pace.silence((yield* monotonicMillis) + Duration.toMillis(wait))
    }
    return wait
  })

  /** The message as it is now; when it is not its turn any more, what waits in its place. */
  const reread = Effect.fnUntraced(function* (row: Delivery) {
    const now = yield* patiently(store.next(id, row.address.chat))
    return Option.isSome(now) && now.value.seq === row.seq ? { _tag: "Same" as const, row: now.value } : gone(now)
  })

  /** Returns when the message has left the lane; null when it stays behind. */
  const deliver = Effect.fnUntraced(function* (first: Delivery) {
    let readAt = yield* monotonicMillis
    const inherited = first.notBefore - (yield* Clock.currentTimeMillis)
    if (inherited > 0 && !(yield* waitFor(first, Duration.millis(Math.min(inherited, mostInheritedMillis)), true))) {
      return null
    }
    const backoff = yield* backoffs
    let row = first
    while (yield* paced(row)) {
      const now = yield* monotonicMillis
      if (now - readAt > freshMillis) {
        const again = yield* reread(row)
        if (again._tag === "Gone") return again
        row = again.row
        readAt = now
      }
      const tried = yield* tryOnce(row)
      if (tried._tag === "Gone") return tried
      const { reason } = tried
      const wait = yield* waitAfter(reason, backoff)
      row = yield* postpone(tried, wait)
      if (!(yield* waitFor(row, wait, reason._tag !== "RateLimited"))) return null
    }
    return null
  })

  return {
    /** Says what waits for a chat until nothing does, or until the lane has to leave it; false: there is no more to do. */
    step: Effect.fnUntraced(
      function* (chat: string) {
        yield* crew.progress(chat, stepsWithin)
        let next = yield* patiently(store.next(id, chat))
        while (Option.isSome(next)) {
          const left = yield* deliver(next.value)
          if (left === null) return false
          next = left.next
        }
        return false
      },
      (step, chat) => Effect.ensuring(step, crew.rest(chat))
    ),
    lastSentAt: () => lastSentAt
  }
})

/** The message is none of the lane's any more; what waits behind it. */
const gone = (next: Option.Option<Delivery>) => ({ _tag: "Gone" as const, next })

const noAnswer = Effect.fail(
  new SendError({
    reason: new Unknown({ detail: `the adapter did not return within ${Duration.format(sendTimeout)}` })
  })
)

/** The waits of one message, made when the first is needed. */
const backoffs = Effect.map(Effect.cached(Schedule.toStep(delivery)), (steps): Effect.Effect<Duration.Duration> =>
  Effect.gen(function* () {
    const step = yield* steps
    // The schedule has no end, so its step never fails.
    const [, wait] = yield* Effect.orDie(step(yield* Clock.currentTimeMillis, undefined))
    return wait
  })
)

const expired = (row: Delivery, expire: Duration.Duration): string =>
  `expired after ${Duration.format(expire)} (outbox.expire)${row.lastError === null ? "" : `: ${row.lastError}`}`

const ended = (row: Delivery, state: "delivered" | "dead", reason: string | null, at: number) => ({
  _tag: "DeliveryEnded" as const,
  id: row.id,
  address: Address.format(row.address),
  text: row.text,
  state,
  reason,
  at
})
