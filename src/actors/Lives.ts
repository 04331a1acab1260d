/**
 * The lives of one platform's link: at most two, the older only draining. They belong to the scope they are made in and
 * not to whoever opens them, so a link that is up can be read out and closed when nothing opens another any more.
 * Connection → **Lives** → Life.
 */
import { Duration, Effect, Exit, Fiber, Scope } from "effect"
import { ConnectTimeout, LinkError } from "../domain/LinkError.ts"
import type { Heard, Platform } from "../platforms/Platform.ts"
import { clocksOf } from "../schedules/liveness.ts"
import { Inbox } from "./Inbox.ts"
import type { Life } from "./Life.ts"
import { start } from "./Life.ts"
import { Pauses } from "./Pauses.ts"
import type { Progress } from "./Supervision.ts"

/** What only the link itself knows; of the last one that was up. */
export interface ConnectionReport {
  readonly heard: Heard | null
  readonly lastInboundAt: number | null
  readonly server: Readonly<Record<string, unknown>>
}

export interface Lives {
  /** One attempt: a life that is up; or the reason why not, with nothing left behind. */
  readonly open: (resume: string | null, progress: Progress) => Effect.Effect<Life, LinkError>
  /** The one that came up last, as long as it lives. */
  readonly newest: () => Life | undefined
  /** Reads a life on for a while; one that was drained before it ends now, so that there are never three. */
  readonly drain: (life: Life) => Effect.Effect<void>
  /** Takes nothing further; returns when what was taken is kept and acknowledged. */
  readonly quiesce: Effect.Effect<void>
  /** Ends all of them; returns when their sockets are closed. */
  readonly close: Effect.Effect<void>
  readonly report: Effect.Effect<ConnectionReport>
}

/** A link that said goodbye is read this long at most. */
const drainFor = Duration.seconds(15)
/** What all steps of an attempt may take together: a net under adapters, which bound each of their own. */
const stepsAtMost = 4

export const attemptWithin = ({ settings }: Platform): Duration.Duration =>
  Duration.times(settings.connectTimeout, stepsAtMost)

export const make = Effect.fnUntraced(function* (platform: Platform) {
  const inbox = yield* Inbox
  const pauses = yield* Pauses
  const scope = yield* Effect.scope
  const living = new Set<Life>()
  let latest: Life | null = null

  const open: Lives["open"] = (resume, progress) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const own = yield* Scope.fork(scope)
        const link = yield* restore(bounded(platform, platform.connect(resume))).pipe(
          Scope.provide(own),
          Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void))
        )
        const life = yield* start(platform, link, { scope, own, progress }).pipe(
          Effect.provideService(Inbox, inbox),
          Effect.provideService(Pauses, pauses)
        )
        living.add(life)
        life.fiber.addObserver(() => living.delete(life))
        latest = life
        return life
      })
    )

  const drain: Lives["drain"] = Effect.fnUntraced(function* (life) {
    yield* Fiber.interruptAll(Array.from(living, (other) => other.fiber).filter((fiber) => fiber !== life.fiber))
    yield* Fiber.await(life.fiber).pipe(
      Effect.timeoutOption(drainFor),
      Effect.andThen(Fiber.interrupt(life.fiber)),
      Effect.forkIn(scope)
    )
  })

  const lives: Lives = {
    open,
    newest: () => Array.from(living).at(-1),
    drain,
    quiesce: Effect.suspend(() => Effect.forEach(living, (life) => life.quiesce, { discard: true })),
    close: Effect.suspend(() => Fiber.interruptAll(Array.from(living, (life) => life.fiber))),
    report: Effect.suspend(() => (latest === null ? Effect.succeed(nothing) : reportOf(latest)))
  }
  return lives
})

const nothing: ConnectionReport = { heard: null, lastInboundAt: null, server: {} }

const reportOf = ({ link, lastInboundAt }: Life): Effect.Effect<ConnectionReport> =>
  Effect.map(Effect.all([link.heard, link.server]), ([heard, server]) => ({
    // A link without clocks is this process itself; its silence means nothing.
    heard: clocksOf(link).length === 0 ? null : heard,
    server,
    lastInboundAt: lastInboundAt()
  }))

const bounded = <A, R>(platform: Platform, connect: Effect.Effect<A, LinkError, R>) => {
  const duration = attemptWithin(platform)
  const reason = () => new ConnectTimeout({ step: "handshake", afterMillis: Duration.toMillis(duration) })
  return Effect.timeoutOrElse(connect, {
    duration,
    orElse: () => Effect.fail(new LinkError({ platform: platform.id, reason: reason() }))
  })
}
