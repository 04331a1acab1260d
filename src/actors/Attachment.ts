/**
 * One platform that is attached: what a start begins and a stop ends, by hand or with the gateway.
 * Supervisor → **Attachment** → Connection.
 *
 * A stop ends the fiber that opens connections before anything else, so that nothing on the way can reconnect; then quiesce →
 * let running turns end → flush → close. What comes for a stopped platform waits in the store until it is started again.
 */
import { Duration, Effect, Exit, Fiber, Option, Scope, Semaphore, Stream, SubscriptionRef } from "effect"
import type { LinkStatus } from "../domain/LinkState.ts"
import type { Platform } from "../platforms/Platform.ts"
import * as Connection from "./Connection.ts"
import type { DrainTime } from "./drainTime.ts"
import { makeDrainTime } from "./drainTime.ts"
import type { LinkReport } from "./LinkReport.ts"
import { reportOf } from "./LinkReport.ts"
import type { Lanes } from "./Outbox.ts"
import { Outbox } from "./Outbox.ts"
import { Sessions } from "./Sessions.ts"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"

export interface Attachment {
  readonly platform: Platform
  readonly status: Effect.Effect<LinkStatus>
  readonly report: Effect.Effect<LinkReport>
  /** Returns when it is served; that it connects is seen by its state. */
  readonly start: Effect.Effect<void>
  /** Returns when it is stopped. It goes on also when whoever asked for it is gone. */
  readonly stop: Effect.Effect<void>
  /** False where it is stopped: a stop by hand is ended by a start alone. */
  readonly reconnect: Effect.Effect<boolean>
  /** The gateway's own stop; platforms that leave together share the time. */
  readonly leave: (drainTime: DrainTime) => Effect.Effect<void>
}

/** What there is of a platform while it is not stopped. */
interface Running {
  /** Of the one fiber that opens connections. */
  readonly loop: Scope.Closeable
  readonly own: Scope.Closeable
  readonly lanes: Lanes
}

export interface AttachmentOptions {
  /** What running turns and the outbox get at a stop. */
  readonly drain: Duration.Duration
  readonly onMove: (status: LinkStatus) => Effect.Effect<void>
}

const loopOptions = { progressWithin: Duration.minutes(2), past: "slow" } as const

/** Not started yet. All of it lives in the scope; `leave` has to be run before that closes. */
export const make = Effect.fnUntraced(function* (platform: Platform, { drain, onMove }: AttachmentOptions) {
  const sessions = yield* Sessions
  const outbox = yield* Outbox
  // A scope of its own from the beginning: what is begun later must not be ended before `leave` has run.
  const scope = yield* Scope.fork(yield* Effect.scope)
  const hands = yield* Scope.fork(scope)
  const context = yield* Effect.context<Supervision>()
  const turn = yield* Semaphore.make(1)
  let running: Running | null = null
  let lastSentAt: number | null = null

  /** Lanes that wait learn that the link is up. */
  const moved = (status: LinkStatus) =>
    Effect.andThen(
      onMove(status),
      Effect.suspend(() => (status.state === "connected" && running !== null ? running.lanes.nudge : Effect.void))
    )
  const connection = yield* Connection.make(platform, moved).pipe(Scope.provide(scope))
  const sentAt = Effect.suspend(() => running?.lanes.lastSentAt ?? Effect.succeed(null)).pipe(
    Effect.map((at) => (lastSentAt = at ?? lastSentAt))
  )

  /** The loop has begun: whoever asks for the state hears of no stop any more. */
  const begun = SubscriptionRef.changes(connection.status).pipe(
    Stream.filter(({ state }) => state !== "stopped"),
    Stream.runHead
  )

  const begin = Effect.fnUntraced(function* (own: Scope.Closeable) {
    const loop = yield* Scope.fork(own)
    const lanes = yield* outbox.open(platform).pipe(Scope.provide(own))
    running = { loop, own, lanes }
    yield* sessions.serve(platform.id)
    yield* supervise(`connection ${platform.id}`, { ...loopOptions, platform: platform.id })(connection.run).pipe(
      Scope.provide(loop)
    )
    yield* begun
  })

  const end = Effect.fnUntraced(function* ({ loop, own, lanes }: Running, drainTime: DrainTime) {
    yield* Scope.close(loop, Exit.void)
    const settled = connection.quiesce.pipe(Effect.andThen(sessions.settle(platform.id)), Effect.andThen(lanes.flush))
    if (Option.isNone(yield* drainTime(settled))) {
      yield* Effect.logWarning("drain ran out").pipe(
        Effect.annotateLogs({ platform: platform.id, left: "turns or replies; they are in the store" })
      )
    }
    yield* connection.close
    yield* sentAt
    running = null
    yield* Scope.close(own, Exit.void)
  })

  /** What had begun when a start was cut short is ended at once. */
  const abandon = (own: Scope.Closeable) =>
    Effect.suspend(() => {
      running = null
      return Effect.andThen(Scope.close(own, Exit.void), connection.close)
    })

  const started = turn.withPermit(
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (running !== null) return
        const own = yield* Scope.fork(scope)
        yield* Effect.onError(restore(begin(own)), () => abandon(own))
      })
    )
  )
  const stopped = (drainTime: DrainTime) =>
    turn.withPermit(Effect.suspend(() => (running === null ? Effect.void : end(running, drainTime))))

  /** Whoever asks may be gone before it is done, and nothing of theirs is to live on in what it begins. */
  const byHand = (work: Effect.Effect<void, never, Supervision>): Effect.Effect<void> => {
    const detached: Effect.Effect<void> = Effect.updateContext(work, () => context)
    return Effect.flatMap(Effect.forkIn(detached, hands), Fiber.join)
  }

  const attachment: Attachment = {
    platform,
    status: SubscriptionRef.get(connection.status),
    report: Effect.flatMap(sentAt, (at) => reportOf(platform, connection, at)),
    start: byHand(started),
    stop: byHand(Effect.uninterruptible(stopped(makeDrainTime(drain)))),
    reconnect: Effect.suspend(() => (running === null ? Effect.succeed(false) : Effect.as(connection.reconnect, true))),
    leave: (drainTime) => Effect.andThen(Scope.close(hands, Exit.void), stopped(drainTime))
  }
  return attachment
})
