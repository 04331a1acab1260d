/**
 * One platform's link, for ever: connect, live, wait, again. **Connection** → Life → Inbox.
 *
 * The fiber that runs `run` is the only one that opens connections; a life that is up belongs to the scope instead. So
 * ending that fiber ends all reconnecting, by construction, while a link that is up can still be read out and closed.
 */
import {
  Cause,
  Clock,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Queue,
  Result,
  Schedule,
  Scope,
  SubscriptionRef
} from "effect"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import { ConnectTimeout, Defect, Ended, LinkError, ServerRequested } from "../domain/LinkError.ts"
import type { LinkMove, LinkStatus } from "../domain/LinkState.ts"
import { changeOf, initial, toConnected, toConnecting, toSetback, toStopped } from "../domain/LinkState.ts"
import type { Heard, Platform } from "../platforms/Platform.ts"
import { clocksOf } from "../schedules/liveness.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { History } from "../schedules/reconnect.ts"
import { judge, noHistory, reconnect } from "../schedules/reconnect.ts"
import { LinkStore } from "../store/LinkStore.ts"
import { Feed } from "./Feed.ts"
import { Inbox } from "./Inbox.ts"
import type { Life } from "./Life.ts"
import * as Lives from "./Life.ts"
import { announce } from "./linkLog.ts"
import { Pauses } from "./Pauses.ts"
import type { Progress } from "./Supervision.ts"

export interface Connection {
  readonly status: SubscriptionRef.SubscriptionRef<LinkStatus>
  /** Only the end of its fiber ends it. */
  readonly run: (progress: Progress) => Effect.Effect<never>
  /** A link that waits tries now; one that is up is replaced. */
  readonly reconnect: Effect.Effect<void>
  /** Takes nothing further from links that are up; returns when what was taken is kept and acknowledged. */
  readonly quiesce: Effect.Effect<void>
  readonly stopped: Effect.Effect<void>
  readonly report: Effect.Effect<ConnectionReport>
}

/** What only the link itself knows; of the last one that was up. */
export interface ConnectionReport {
  readonly heard: Heard | null
  readonly lastInboundAt: number | null
  readonly server: Readonly<Record<string, unknown>>
}

/** How the time with a link ended, as far as opening the next one goes. */
type Outcome =
  | { readonly _tag: "Lost"; readonly reason: LinkErrorReason }
  | { readonly _tag: "Goodbye"; readonly reason: LinkErrorReason }
  | { readonly _tag: "Asked" }

/** A link that said goodbye is read this long at most. */
const drainFor = Duration.seconds(15)
/** What all steps of an attempt may take together: a net under adapters, which bound each of their own. */
const stepsAtMost = 4
/** Beyond the time by which progress was announced. */
const grace = Duration.seconds(60)

/** The lives of the connection live in the scope that it is made in. `onMove` hears of every move. */
export const make = Effect.fnUntraced(function* (
  platform: Platform,
  onMove: (status: LinkStatus) => Effect.Effect<void>
) {
  const links = yield* LinkStore
  const feed = yield* Feed
  const pauses = yield* Pauses
  const inbox = yield* Inbox
  const scope = yield* Effect.scope
  const { id, kind, settings } = platform
  const status = yield* SubscriptionRef.make(initial(id, kind, yield* Clock.currentTimeMillis))
  const asked = yield* Queue.sliding<void>(1)
  const lives = new Set<Life>()
  let latest: Life | null = null

  /** A store that fails is told and must not take the link with it: what it keeps here is a record, not a condition. */
  const recorded = <A>(effect: Effect.Effect<A, { readonly message: string }>, otherwise: A): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.logError("link not recorded").pipe(
        Effect.annotateLogs({ platform: id, error: error.message }),
        Effect.as(otherwise)
      )
    )

  /** The one function that moves the state; the log, the timeline and the feed hang on it. */
  const move = Effect.fnUntraced(function* (to: LinkMove) {
    const now = yield* Clock.currentTimeMillis
    const before = yield* SubscriptionRef.get(status)
    const after = to(before, now)
    const change = changeOf(before, after, now)
    yield* SubscriptionRef.set(status, after)
    yield* announce(before, after, change)
    yield* feed.tell({ _tag: "LinkChanged", platform: id, change })
    yield* onMove(after)
    yield* recorded(links.record(id, change), undefined)
  })

  /** One attempt: a life that is up, owned by the scope; or the reason why not, with nothing left behind. */
  const attempt = (progress: Progress) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const resume = yield* recorded(links.resume(id), null)
        const link = yield* restore(bounded(platform, platform.connect(resume))).pipe(
          Scope.provide(own),
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void))
        )
        const life = yield* Lives.start(platform, link, { scope, own, progress }).pipe(
          Effect.provideService(Inbox, inbox),
          Effect.provideService(Pauses, pauses)
        )
        lives.add(life)
        life.fiber.addObserver(() => lives.delete(life))
        latest = life
        return life
      })
    )

  /** Waits until the link is lost, or is to be followed by another while it is still up. */
  const outcomeOf = (life: Life): Effect.Effect<Outcome> =>
    Effect.raceAllFirst([
      Effect.map(Fiber.await(life.fiber), (exit) => ({ _tag: "Lost", reason: reasonOf(exit) }) as const),
      Effect.map(Deferred.await(life.goodbye), goodbye),
      Effect.as(Queue.take(asked), { _tag: "Asked" } as const)
    ])

  /** The link is read on for a while; one that was drained before it ends now, so that there are never three. */
  const drain = Effect.fnUntraced(function* (life: Life) {
    yield* Fiber.interruptAll(Array.from(lives, (other) => other.fiber).filter((fiber) => fiber !== life.fiber))
    yield* Fiber.await(life.fiber).pipe(
      Effect.timeoutOption(drainFor),
      Effect.andThen(Fiber.interrupt(life.fiber)),
      Effect.forkIn(scope)
    )
  })

  /** While a link that said goodbye is still read, the platform is connected; when that ends first, it is not. */
  const opening = Effect.fnUntraced(function* <A>(attempt: Effect.Effect<A>) {
    const { state } = yield* SubscriptionRef.get(status)
    const old = Array.from(lives).at(-1)
    if (old === undefined || state !== "connected") return yield* Effect.andThen(move(toConnecting), attempt)
    const deaf = Effect.andThen(Fiber.await(old.fiber), Effect.uninterruptible(move(toConnecting)))
    return yield* Effect.scoped(Effect.andThen(Effect.forkScoped(deaf), attempt))
  })

  const run = (progress: Progress): Effect.Effect<never> =>
    Effect.gen(function* () {
      const epoch = Schedule.toStep(reconnect(settings.retry))
      let step = yield* epoch
      let history: History = noHistory
      /** Goodbyes in a row of links that had not been up for `resetAfter`. */
      let hasty = 0

      /** Returns when the next attempt is due: the wait is over, somebody asked, or the machine woke. */
      const setBack = Effect.fnUntraced(function* (reason: LinkErrorReason) {
        const proved = yield* recorded(links.wasProved(id, platform.fingerprint), false)
        const [setback, remembered] = judge(reason, history, proved, yield* monotonicMillis)
        history = remembered
        // The schedule has no end, so its step never fails.
        const [, delay] = yield* Effect.orDie(step(yield* Clock.currentTimeMillis, setback))
        yield* move(toSetback(setback.state, new LinkError({ platform: id, reason }), delay))
        yield* progress(Duration.sum(delay, grace))
        yield* Effect.raceAllFirst([Effect.sleep(delay), Queue.take(asked), Effect.asVoid(pauses.next)])
      })

      /** Returns when the link needs a successor, at once. */
      const withLink = Effect.fnUntraced(function* (life: Life) {
        history = { ...history, refusedSince: null }
        yield* Queue.clear(asked)
        yield* move(toConnected(life.link.host))
        yield* recorded(links.proved(id, platform.fingerprint), undefined)
        const outcome = yield* outcomeOf(life)
        if ((yield* monotonicMillis) - life.upSince >= Duration.toMillis(settings.retry.resetAfter)) {
          step = yield* epoch
          hasty = 0
          history = noHistory
        }
        if (outcome._tag === "Lost") return yield* setBack(outcome.reason)
        yield* drain(life)
        // One planned goodbye is followed at once; a platform that says nothing else is waited for like any failure.
        if (outcome._tag === "Goodbye" && hasty++ > 0) yield* setBack(outcome.reason)
      })

      while (true) {
        yield* progress(Duration.sum(Duration.times(settings.connectTimeout, stepsAtMost), grace))
        const opened = yield* opening(Effect.exit(attempt(progress)))
        yield* Exit.isSuccess(opened) ? withLink(opened.value) : setBack(reasonOf(opened))
      }
    })

  const connection: Connection = {
    status,
    run,
    reconnect: Effect.asVoid(Queue.offer(asked, undefined)),
    quiesce: Effect.suspend(() => Effect.forEach(lives, (life) => life.quiesce, { discard: true })),
    stopped: move(toStopped),
    report: Effect.suspend(() => (latest === null ? Effect.succeed(nothing) : reportOf(latest)))
  }
  return connection
})

const goodbye = (detail: string): Outcome => ({ _tag: "Goodbye", reason: new ServerRequested({ detail }) })

const nothing: ConnectionReport = { heard: null, lastInboundAt: null, server: {} }

const reportOf = ({ link, lastInboundAt }: Life): Effect.Effect<ConnectionReport> =>
  Effect.map(Effect.all([link.heard, link.server]), ([heard, server]) => ({
    // A link without clocks is this process itself; its silence means nothing.
    heard: clocksOf(link).length === 0 ? null : heard,
    server,
    lastInboundAt: lastInboundAt()
  }))

const bounded = <A, R>({ id, settings }: Platform, connect: Effect.Effect<A, LinkError, R>) => {
  const duration = Duration.times(settings.connectTimeout, stepsAtMost)
  const reason = () => new ConnectTimeout({ step: "handshake", afterMillis: Duration.toMillis(duration) })
  return Effect.timeoutOrElse(connect, {
    duration,
    orElse: () => Effect.fail(new LinkError({ platform: id, reason: reason() }))
  })
}

/** Whatever ended a life or an attempt is one of the contract's kinds; a bug too, so that it waits like any failure. */
const reasonOf = (exit: Exit.Exit<unknown, LinkError>): LinkErrorReason => {
  if (Exit.isSuccess(exit)) return new Ended({ detail: "it returned" })
  const error = Cause.findError(exit.cause)
  if (Result.isSuccess(error)) return error.success.reason
  return Cause.hasInterruptsOnly(exit.cause)
    ? new Ended({ detail: "it was interrupted from within" })
    : new Defect({ detail: Cause.pretty(exit.cause) })
}
