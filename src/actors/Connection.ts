/**
 * One platform's link, for ever: connect, live, wait, again. **Connection** → Life → Inbox.
 *
 * The fiber that runs `run` is the only one that opens connections; a life that is up belongs to the scope instead. So
 * ending that fiber ends all reconnecting, by construction, while a link that is up can still be read out and closed.
 */
import { Deferred, Duration, Effect, Exit, Fiber, Queue, SubscriptionRef } from "effect"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import { LinkError } from "../domain/LinkError.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import { toConnected, toConnecting, toSetback, toStopped } from "../domain/LinkState.ts"
import type { Platform } from "../platforms/Platform.ts"
import type { Life } from "./Life.ts"
import * as LinkRecord from "./LinkRecord.ts"
import type { ConnectionReport } from "./Lives.ts"
import * as Lives from "./Lives.ts"
import type { Outcome } from "./Outcome.ts"
import { asked, goodbye, lost, reasonOf } from "./Outcome.ts"
import { Pauses } from "./Pauses.ts"
import * as Retries from "./Retries.ts"
import type { Progress } from "./Supervision.ts"

export interface Connection {
  readonly status: SubscriptionRef.SubscriptionRef<LinkStatus>
  /** Only the end of its fiber ends it. It may be run again after that. */
  readonly run: (progress: Progress) => Effect.Effect<never>
  /** A link that waits tries now; one that is up is replaced. */
  readonly reconnect: Effect.Effect<void>
  /** Takes nothing further from links that are up; returns when what was taken is kept and acknowledged. */
  readonly quiesce: Effect.Effect<void>
  /** Ends the links that are up; with nobody to open another, the state is `stopped`. */
  readonly close: Effect.Effect<void>
  readonly report: Effect.Effect<ConnectionReport>
}

/** Beyond the time by which progress was announced. */
const grace = Duration.seconds(60)

/** The lives of the connection live in the scope that it is made in. `onMove` hears of every move. */
export const make = Effect.fnUntraced(function* (
  platform: Platform,
  onMove: (status: LinkStatus) => Effect.Effect<void>
) {
  const pauses = yield* Pauses
  const record = yield* LinkRecord.make(platform, onMove)
  const lives = yield* Lives.make(platform)
  const requests = yield* Queue.sliding<void>(1)
  const { id, settings } = platform
  const { move, status } = record

  /** Waits until the link is lost, or is to be followed by another while it is still up. */
  const outcomeOf = (life: Life): Effect.Effect<Outcome> =>
    Effect.raceAllFirst([
      Effect.map(Fiber.await(life.fiber), lost),
      Effect.map(Deferred.await(life.goodbye), goodbye),
      Effect.as(Queue.take(requests), asked)
    ])

  /** While a link that said goodbye is still read, the platform is connected; when that ends first, it is not. */
  const opening = Effect.fnUntraced(function* <A>(attempt: Effect.Effect<A>) {
    const { state } = yield* SubscriptionRef.get(status)
    const old = lives.newest()
    if (old === undefined || state !== "connected") return yield* Effect.andThen(move(toConnecting), attempt)
    const deaf = Effect.andThen(Fiber.await(old.fiber), Effect.uninterruptible(move(toConnecting)))
    return yield* Effect.scoped(Effect.andThen(Effect.forkScoped(deaf), attempt))
  })

  /** Returns when the next attempt is due: the wait is over, somebody asked, or the machine woke. */
  const setBack = Effect.fnUntraced(function* (reason: LinkErrorReason, retries: Retries.Retries, progress: Progress) {
    const { state, delay } = yield* retries.after(reason, yield* record.wasProved)
    yield* move(toSetback(state, new LinkError({ platform: id, reason }), delay))
    yield* progress(Duration.sum(delay, grace))
    yield* Effect.raceAllFirst([Effect.sleep(delay), Queue.take(requests), Effect.asVoid(pauses.next)])
  })

  /** Lives with a link until it needs a successor; says why, when that has to wait. */
  const withLink = Effect.fnUntraced(function* (life: Life, retries: Retries.Retries) {
    retries.connected()
    yield* Queue.clear(requests)
    yield* move(toConnected(life.link.host))
    yield* record.proved
    const outcome = yield* outcomeOf(life)
    const upMillis = (yield* monotonicMillis) - life.upSince
    if (upMillis >= Duration.toMillis(settings.retry.resetAfter)) yield* retries.stable
    if (outcome._tag === "Lost") return outcome.reason
    yield* lives.drain(life)
    return outcome._tag === "Goodbye" && retries.isGoodbyeHasty() ? outcome.reason : null
  })

  const run = (progress: Progress): Effect.Effect<never> =>
    Effect.gen(function* () {
      const retries = yield* Retries.make(settings.retry)
      const attempt = Effect.flatMap(record.resume, (resume) => lives.open(resume, progress))
      while (true) {
        yield* progress(Duration.sum(Lives.attemptWithin(platform), grace))
        const opened = yield* opening(Effect.exit(attempt))
        const setback = Exit.isSuccess(opened) ? yield* withLink(opened.value, retries) : reasonOf(opened)
        if (setback !== null) yield* setBack(setback, retries, progress)
      }
    })

  const connection: Connection = {
    status,
    run,
    reconnect: Effect.asVoid(Queue.offer(requests, undefined)),
    quiesce: lives.quiesce,
    close: lives.close.pipe(Effect.andThen(Queue.clear(requests)), Effect.andThen(move(toStopped))),
    report: lives.report
  }
  return connection
})
