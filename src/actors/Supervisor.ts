/** A connection a platform, each on its own; says how all of them are, and when none has come back for too long. */
import {
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  PubSub,
  Schema,
  Scope,
  Stream,
  SubscriptionRef
} from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import type { Platform } from "../platforms/Platform.ts"
import { PlatformHost } from "../platforms/Platform.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { LinkStore } from "../store/LinkStore.ts"
import { look } from "./alarms.ts"
import * as Connections from "./Connection.ts"
import { Feed } from "./Feed.ts"
import { Inbox } from "./Inbox.ts"
import type { Lanes } from "./Outbox.ts"
import { Outbox } from "./Outbox.ts"
import { Pauses } from "./Pauses.ts"
import { Roster } from "./Roster.ts"
import { Sessions } from "./Sessions.ts"
import { supervise } from "./supervise.ts"
import { Supervision } from "./Supervision.ts"

/** A link as the status shows it. Silences are null while there is no link. Times are Unix milliseconds. */
export interface LinkReport extends LinkStatus {
  /** Counts neither for readiness nor for escalation. */
  readonly auxiliary: boolean
  readonly lastFrameAt: number | null
  readonly lastInboundAt: number | null
  readonly lastSentAt: number | null
  readonly pathSilenceMillis: number | null
  readonly sessionSilenceMillis: number | null
  readonly server: Readonly<Record<string, unknown>>
}

/** No platform that could come back by itself has been connected for `escalate.after`; the process is to end with 75. */
export class Escalated extends Schema.TaggedError<Escalated>()("Escalated", {
  downForMillis: Schema.Number,
  platforms: Schema.Array(Schema.String)
}) {
  override get message() {
    return `no platform has been connected for ${Duration.format(Duration.millis(this.downForMillis))}: ${this.platforms.join(", ")}`
  }
}

export interface SupervisorOptions {
  /** What running turns and the outbox get at a stop; shared by platforms that stop together. */
  readonly drain: Duration.Duration
  readonly alarmAfter: Duration.Duration
  /** Null: the process is never given up. */
  readonly escalateAfter: Duration.Duration | null
}

/** What is known of an attached platform. */
interface Attached {
  readonly platform: Platform
  readonly connection: Connections.Connection
  readonly lanes: Lanes
}

const lookEvery = Duration.seconds(5)
/** A look that comes this much after it was due was asleep itself. */
const lookLateMillis = 2_000

export class Supervisor extends Context.Service<
  Supervisor,
  {
    readonly attach: PlatformHost["Service"]["attach"]
    readonly links: Effect.Effect<ReadonlyArray<LinkReport>>
    /** From now on. */
    readonly changes: Stream.Stream<LinkStatus>
    /** By hand: a link that waits tries now, one that is up is replaced. False when there is none of this name. */
    readonly reconnect: (id: PlatformId) => Effect.Effect<boolean>
    /** Never returns: fails when it is time to give the process up. */
    readonly escalated: Effect.Effect<never, Escalated>
  }
>()("evergate/actors/Supervisor") {
  static readonly layer = (
    options: SupervisorOptions
  ): Layer.Layer<
    Supervisor | PlatformHost,
    never,
    Inbox | Sessions | Outbox | LinkStore | Feed | Pauses | Roster | Supervision
  > =>
    Layer.effectContext(
      Effect.gen(function* () {
        // What a connection stands on, without the scope: that is the one that a platform is attached in.
        const context = Context.pick(
          Inbox,
          LinkStore,
          Feed,
          Pauses,
          Supervision
        )(yield* Effect.context<Inbox | LinkStore | Feed | Pauses | Supervision>())
        const sessions = yield* Sessions
        const outbox = yield* Outbox
        const roster = yield* Roster
        const pauses = yield* Pauses
        const attached = new Map<PlatformId, Attached>()
        const changes = yield* PubSub.sliding<LinkStatus>(1024)
        const end = yield* Deferred.make<never, Escalated>()
        const drainTime = makeDrainTime(options.drain)

        /** Lanes that wait learn that the link is up, listeners that it moved. */
        const onMove = (lanes: Lanes) => (status: LinkStatus) =>
          Effect.andThen(PubSub.publish(changes, status), status.state === "connected" ? lanes.nudge : Effect.void)

        /**
         * Quiesce → let running turns end → flush → close. The fiber that opens connections is gone before anything else
         * happens, so that nothing on the way can reconnect.
         */
        const leave = Effect.fnUntraced(function* (
          { platform, connection, lanes }: Attached,
          scopes: { readonly loop: Scope.Closeable; readonly lives: Scope.Closeable }
        ) {
          yield* Scope.close(scopes.loop, Exit.void)
          const settled = connection.quiesce.pipe(
            Effect.andThen(sessions.settle(platform.id)),
            Effect.andThen(lanes.flush)
          )
          if (Option.isNone(yield* drainTime(settled))) {
            yield* Effect.logWarning("drain ran out").pipe(
              Effect.annotateLogs({ platform: platform.id, left: "turns or replies; they are in the store" })
            )
          }
          yield* Scope.close(scopes.lives, Exit.void)
          yield* connection.stopped
          attached.delete(platform.id)
        })

        const attach = Effect.fnUntraced(function* (platform: Platform) {
          yield* roster.enter(platform)
          const scope = yield* Effect.scope
          const scopes = { loop: yield* Scope.fork(scope), lives: yield* Scope.fork(scope) }
          const lanes = yield* outbox.open(platform)
          const connection = yield* Connections.make(platform, onMove(lanes)).pipe(Scope.provide(scopes.lives))
          const entry: Attached = { platform, connection, lanes }
          attached.set(platform.id, entry)
          yield* sessions.serve(platform.id)
          yield* supervise(`connection ${platform.id}`, { progressWithin: Duration.minutes(2), past: "slow" })(
            connection.run
          ).pipe(Scope.provide(scopes.loop))
          // Added last, so that it runs first, while everything that the platform stands on still lives.
          yield* Effect.addFinalizer(() => leave(entry, scopes))
        }, Effect.provideContext(context))

        const statuses = Effect.suspend(() =>
          Effect.forEach(
            Array.from(attached.values()).filter(({ platform }) => platform.auxiliary !== true),
            ({ connection }) => SubscriptionRef.get(connection.status)
          )
        )
        yield* watch(statuses, pauses, options, end)

        return Context.make(
          Supervisor,
          Supervisor.of({
            attach,
            links: Effect.suspend(() => Effect.forEach(Array.from(attached.values()), reportOf)),
            changes: Stream.fromPubSub(changes),
            reconnect: (id) =>
              Effect.suspend(() => {
                const entry = attached.get(id)
                return entry === undefined ? Effect.succeed(false) : Effect.as(entry.connection.reconnect, true)
              }),
            escalated: Deferred.await(end)
          })
        ).pipe(Context.add(PlatformHost, PlatformHost.of({ attach })))
      })
    )
}

/**
 * Bounds what platforms do at a stop: those that stop together share one deadline. The work has a fiber of its own, since
 * a finalizer cannot be interrupted.
 */
const makeDrainTime = (drain: Duration.Duration) => {
  let leaving = 0
  let deadline = 0
  return Effect.fnUntraced(function* (work: Effect.Effect<void>) {
    const now = yield* monotonicMillis
    if (leaving++ === 0) deadline = now + Duration.toMillis(drain)
    const left = Duration.millis(Math.max(0, deadline - now))
    const fiber = yield* work.pipe(Effect.timeoutOption(left), Effect.interruptible, Effect.forkDetach)
    return yield* Effect.ensuring(
      Fiber.join(fiber),
      Effect.sync(() => leaving--)
    )
  })
}

/** Looks every few seconds who is down for too long. One ERROR a platform, one line more when it is back. */
const watch = Effect.fnUntraced(function* (
  statuses: Effect.Effect<ReadonlyArray<LinkStatus>>,
  pauses: Pauses["Service"],
  options: SupervisorOptions,
  end: Deferred.Deferred<never, Escalated>
) {
  const settings = {
    alarmAfterMillis: Duration.toMillis(options.alarmAfter),
    escalateAfterMillis: options.escalateAfter === null ? null : Duration.toMillis(options.escalateAfter)
  }
  yield* supervise("alarms", { progressWithin: Duration.minutes(1), past: "exit" })((progress) =>
    Effect.gen(function* () {
      const told = new Set<PlatformId>()
      let from = 0
      let lookedAt = yield* Clock.currentTimeMillis
      while (true) {
        const paused = yield* Effect.raceFirst(Effect.as(Effect.sleep(lookEvery), false), Effect.as(pauses.next, true))
        yield* progress(Duration.minutes(1))
        const now = yield* Clock.currentTimeMillis
        // After a sleep either may be awake first, the pauses or this.
        if (paused || now - lookedAt > Duration.toMillis(lookEvery) + lookLateMillis) from = now
        lookedAt = now
        const links = yield* statuses
        const { raised, cleared, deafMillis } = look(links, told, settings, from, now)
        for (const link of raised) {
          told.add(link.id)
          yield* Effect.logError("platform is down").pipe(Effect.annotateLogs(alarmOf(link, now)))
        }
        for (const link of cleared) {
          told.delete(link.id)
          yield* Effect.logInfo("platform is back").pipe(Effect.annotateLogs({ platform: link.id }))
        }
        if (deafMillis !== null) {
          yield* Deferred.fail(
            end,
            new Escalated({ downForMillis: deafMillis, platforms: links.map((link) => link.id) })
          )
        }
      }
    })
  )
})

const alarmOf = (link: LinkStatus, now: number) => ({
  platform: link.id,
  state: link.state,
  for: Duration.format(Duration.millis(now - (link.downSince ?? now))),
  kind: link.lastError?.kind,
  message: link.lastError?.message,
  hint: link.lastError?.hint
})

const reportOf = Effect.fnUntraced(function* ({ platform, connection, lanes }: Attached) {
  const status = yield* SubscriptionRef.get(connection.status)
  const { heard, lastInboundAt, server } = yield* connection.report
  const wall = yield* Clock.currentTimeMillis
  const now = yield* monotonicMillis
  const up = status.state === "connected" && heard !== null
  const report: LinkReport = {
    ...status,
    auxiliary: platform.auxiliary === true,
    lastFrameAt: heard === null ? lastInboundAt : Math.round(wall - (now - heard.frameAt)),
    lastInboundAt,
    lastSentAt: yield* lanes.lastSentAt,
    pathSilenceMillis: up ? Math.round(now - heard.byteAt) : null,
    sessionSilenceMillis: up ? Math.round(now - heard.frameAt) : null,
    server
  }
  return report
})
