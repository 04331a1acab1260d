/**
 * The graph: every actor on what it stands on. One composition for the service, for an app that embeds the gateway, and
 * for tests; it needs an `Agent` and a `Database`, and adapters plug into the `PlatformHost` that it gives.
 *
 * Scopes close dependents first, so a stop is the graph backwards: adapters leave, then sessions, outbox, stores.
 */
import { Duration, Effect, Layer } from "effect"
import type { Keep } from "../actors/Pruner.ts"
import * as Pruner from "../actors/Pruner.ts"
import * as Pulse from "../actors/Pulse.ts"
import { Feed } from "../actors/Feed.ts"
import { Inbox } from "../actors/Inbox.ts"
import { Notices } from "../actors/Notices.ts"
import { Outbox } from "../actors/Outbox.ts"
import { Pauses } from "../actors/Pauses.ts"
import { Roster } from "../actors/Roster.ts"
import { Sessions } from "../actors/Sessions.ts"
import * as StoreProbe from "../actors/StoreProbe.ts"
import { Supervision } from "../actors/Supervision.ts"
import { Supervisor } from "../actors/Supervisor.ts"
import { Ticker } from "../actors/Ticker.ts"
import type { Agent } from "../agents/Agent.ts"
import type { Job } from "../domain/Job.ts"
import type { SessionScope } from "../domain/Session.ts"
import type { PlatformHost } from "../platforms/Platform.ts"
import type { Database } from "../store/Database.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { LinkStore } from "../store/LinkStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { untilTheStoreAnswers } from "../actors/untilTheStoreAnswers.ts"

/** Every field is optional; what is absent is the contract's default. */
export interface GatewayOptions {
  readonly sessionScope?: SessionScope
  /** `agent.timeout`. */
  readonly turnTimeout?: Duration.Duration
  readonly admins?: ReadonlyArray<string>
  /** `outbox.expire`. */
  readonly expire?: Duration.Duration
  readonly keep?: Partial<Keep>
  /** How the gateway names itself in alarms; `evergate` if absent. */
  readonly name?: string
  /** `shutdown.drain`. */
  readonly drain?: Duration.Duration
  readonly alarmAfter?: Duration.Duration
  /** `escalate.after`; null: never. Without a word from the host app a gateway does not end its process. */
  readonly escalateAfter?: Duration.Duration | null
  /** The jobs of source `file`; absent: those that the store has stay as they are. */
  readonly jobs?: ReadonlyArray<Job>
}

/** What the gateway gives to adapters, to its HTTP side, and to the app around it. */
export type Gateway =
  | PlatformHost
  | Supervisor
  | Supervision
  | Outbox
  | Inbox
  | Sessions
  | Ticker
  | Feed
  | Roster
  | Notices
  | InboxStore
  | OutboxStore
  | JobStore
  | LinkStore

/** The actors, each as its layer: `layer` puts them together, and so does whoever plays a part of its own among them. */
export const parts = (options: GatewayOptions = {}) => {
  const scope = options.sessionScope ?? "chat"
  return {
    stores: Layer.mergeAll(InboxStore.layer, OutboxStore.layer, JobStore.layer, LinkStore.layer),
    ground: Layer.mergeAll(
      Layer.provideMerge(Notices.layer({ gateway: options.name ?? "evergate" }), Supervision.layer),
      Feed.layer,
      Roster.layer
    ),
    pauses: Pauses.layer,
    outbox: Outbox.layer({ expire: options.expire ?? Duration.hours(24) }),
    sessions: Sessions.layer({
      turnTimeout: options.turnTimeout ?? Duration.minutes(10),
      admins: options.admins ?? []
    }),
    inbox: Inbox.layer({ scope }),
    supervisor: Supervisor.layer({
      drain: options.drain ?? Duration.seconds(20),
      alarmAfter: options.alarmAfter ?? Duration.minutes(2),
      escalateAfter: options.escalateAfter ?? null
    }),
    jobs: jobsOf(options.jobs),
    ticker: Ticker.layer({ scope }),
    pulse: Pulse.layer,
    storeProbe: StoreProbe.layer,
    pruner: Pruner.layer({
      keep: {
        messages: options.keep?.messages ?? Duration.days(7),
        history: options.keep?.history ?? Duration.days(30),
        runs: options.keep?.runs ?? Duration.days(30)
      },
      expire: options.expire ?? Duration.hours(24)
    })
  }
}

export type Parts = ReturnType<typeof parts>

/** Each part on what it stands on. */
export const compose = (parts: Parts): Layer.Layer<Gateway, never, Agent | Database> =>
  Layer.mergeAll(parts.pruner, parts.pulse, parts.storeProbe).pipe(
    Layer.provideMerge(parts.ticker),
    Layer.provideMerge(parts.jobs),
    Layer.provideMerge(parts.supervisor),
    Layer.provideMerge(parts.inbox),
    Layer.provideMerge(parts.sessions),
    Layer.provideMerge(parts.outbox),
    Layer.provideMerge(parts.pauses),
    Layer.provideMerge(parts.ground),
    Layer.provideMerge(parts.stores)
  )

export const layer = (options: GatewayOptions = {}): Layer.Layer<Gateway, never, Agent | Database> =>
  compose(parts(options))

/** The file's jobs are in the store before the ticker looks there. */
const jobsOf = (jobs: ReadonlyArray<Job> | undefined): Layer.Layer<never, never, JobStore> =>
  Layer.effectDiscard(
    jobs === undefined
      ? Effect.void
      : Effect.flatMap(JobStore, (store) => untilTheStoreAnswers("start")(store.replaceFileJobs(jobs)))
  )
