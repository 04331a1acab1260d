/** An attachment a platform, each on its own; says how all of them are, and when none has come back for too long. */
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import type { Duration } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import type { Platform } from "../platforms/Platform.ts"
import { PlatformHost } from "../platforms/Platform.ts"
import { LinkStore } from "../store/LinkStore.ts"
import type { AlarmOptions, Escalated } from "./alarmWatch.ts"
import { watch } from "./alarmWatch.ts"
import type { Attachment } from "./Attachment.ts"
import * as Attachments from "./Attachment.ts"
import { makeDrainTime } from "./drainTime.ts"
import { Feed } from "./Feed.ts"
import { Inbox } from "./Inbox.ts"
import type { LinkReport } from "./LinkReport.ts"
import type { Notices } from "./Notices.ts"
import { Outbox } from "./Outbox.ts"
import { Pauses } from "./Pauses.ts"
import { Roster } from "./Roster.ts"
import { Sessions } from "./Sessions.ts"
import { Supervision } from "./Supervision.ts"

export interface SupervisorOptions extends AlarmOptions {
  /** What running turns and the outbox get at a stop; shared by platforms that stop together. */
  readonly drain: Duration.Duration
}

/** What an attached platform stands on. */
type Ground = Inbox | Sessions | Outbox | LinkStore | Feed | Pauses | Supervision

export class Supervisor extends Context.Service<
  Supervisor,
  {
    readonly attach: PlatformHost["Service"]["attach"]
    readonly links: Effect.Effect<ReadonlyArray<LinkReport>>
    /** From now on. */
    readonly changes: Stream.Stream<LinkStatus>
    /** By hand: a link that waits tries now, one that is up is replaced. False where none of this name is started. */
    readonly reconnect: (id: PlatformId) => Effect.Effect<boolean>
    /** By hand: as at the gateway's own stop; until `start`, or the gateway's next start. False where there is none. */
    readonly stop: (id: PlatformId) => Effect.Effect<boolean>
    /** By hand. False where there is none of this name. */
    readonly start: (id: PlatformId) => Effect.Effect<boolean>
    /** Never returns: fails when it is time to give the process up. */
    readonly escalated: Effect.Effect<never, Escalated>
  }
>()("evergate/actors/Supervisor") {
  static readonly layer = (
    options: SupervisorOptions
  ): Layer.Layer<Supervisor | PlatformHost, never, Ground | Roster | Notices> =>
    Layer.effectContext(
      Effect.map(make(options), (supervisor) =>
        Context.make(Supervisor, supervisor).pipe(
          Context.add(PlatformHost, PlatformHost.of({ attach: supervisor.attach }))
        )
      )
    )
}

const make = Effect.fnUntraced(function* (options: SupervisorOptions) {
  // What an attachment stands on, without the scope: that is the one that a platform is attached in.
  const ground = Context.pick(
    Inbox,
    Sessions,
    Outbox,
    LinkStore,
    Feed,
    Pauses,
    Supervision
  )(yield* Effect.context<Ground>())
  const roster = yield* Roster
  const attached = new Map<PlatformId, Attachment>()
  const changes = yield* PubSub.sliding<LinkStatus>(1024)
  const drainTime = makeDrainTime(options.drain)
  const onMove = (status: LinkStatus) => Effect.asVoid(PubSub.publish(changes, status))

  const attach = Effect.fnUntraced(function* (platform: Platform) {
    yield* roster.enter(platform)
    const attachment = yield* Attachments.make(platform, { drain: options.drain, onMove })
    yield* Effect.acquireRelease(
      Effect.sync(() => attached.set(platform.id, attachment)),
      () => Effect.sync(() => attached.delete(platform.id))
    )
    // Added last, so that it runs first, while everything that the platform stands on still lives.
    yield* Effect.addFinalizer(() => attachment.leave(drainTime))
    yield* attachment.start
  })

  const all = Effect.sync(() => Array.from(attached.values()))
  const statuses = Effect.flatMap(all, (attachments) =>
    Effect.forEach(
      attachments.filter(({ platform }) => platform.auxiliary !== true),
      ({ status }) => status
    )
  )
  /** False where there is none of this name. */
  const at =
    (use: (attachment: Attachment) => Effect.Effect<boolean>) =>
    (id: PlatformId): Effect.Effect<boolean> =>
      Effect.suspend(() => {
        const attachment = attached.get(id)
        return attachment === undefined ? Effect.succeed(false) : use(attachment)
      })

  return Supervisor.of({
    attach: (platform) => Effect.provideContext(attach(platform), ground),
    links: Effect.flatMap(all, (attachments) => Effect.forEach(attachments, ({ report }) => report)),
    changes: Stream.fromPubSub(changes),
    reconnect: at(({ reconnect }) => reconnect),
    stop: at(({ stop }) => Effect.as(stop, true)),
    start: at(({ start }) => Effect.as(start, true)),
    escalated: yield* watch(statuses, options)
  })
})
