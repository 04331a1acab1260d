/** The contract's status: what every part says of itself, put together, and what follows from it for `health`. Reading it writes nothing. */
import { Clock, Effect, Schema } from "effect"
import { Inbox } from "../actors/Inbox.ts"
import { Sessions } from "../actors/Sessions.ts"
import { Supervision } from "../actors/Supervision.ts"
import { Supervisor } from "../actors/Supervisor.ts"
import type { LinkReport } from "../actors/LinkReport.ts"
import { Ticker } from "../actors/Ticker.ts"
import type { JobStatus } from "../actors/Ticker.ts"
import type { VitalSigns } from "../actors/Vitals.ts"
import { Vitals } from "../actors/Vitals.ts"
import { format as formatAddress } from "../domain/Address.ts"
import { iso, isoOrNull } from "../domain/instant.ts"
import { Database } from "../store/Database.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { About } from "./About.ts"
import { Configuration } from "./Configuration.ts"
import { Health, judge } from "./health.ts"

const Instant = Schema.NullOr(Schema.String)
const Millis = Schema.NullOr(Schema.Number)

export const PlatformStatus = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  state: Schema.Literals(["connecting", "connected", "backoff", "failed", "stopped"]),
  since: Schema.String,
  attempt: Schema.Number,
  connects: Schema.Number,
  disconnects: Schema.Number,
  lastFrameAt: Instant,
  lastInboundAt: Instant,
  lastSentAt: Instant,
  nextAttemptAt: Instant,
  pathSilenceMs: Millis,
  sessionSilenceMs: Millis,
  waiting: Schema.Struct({ turns: Schema.Number, outbox: Schema.Number }),
  server: Schema.Record(Schema.String, Schema.Unknown),
  lastError: Schema.NullOr(
    Schema.Struct({ kind: Schema.String, message: Schema.String, hint: Schema.String, at: Schema.String })
  )
})

export const JobSummary = Schema.Struct({
  id: Schema.String,
  schedule: Schema.String,
  timezone: Schema.String,
  deliverTo: Schema.String,
  next: Instant,
  last: Schema.NullOr(
    Schema.Struct({
      scheduledAt: Schema.String,
      startedAt: Schema.String,
      outcome: Schema.Literals(["running", "ok", "failed", "skipped"]),
      reason: Schema.NullOr(Schema.String),
      delivery: Schema.Literals(["none", "pending", "delivered", "dead"])
    })
  )
})

export const ProcessStatus = Schema.Struct({
  /** How late the event loop was in ten seconds, at the 99th percentile; and at worst in five minutes. */
  loopDelayMs: Schema.Number,
  loopDelayMostMs: Schema.Number,
  fibers: Schema.Number,
  heapUsedBytes: Schema.Number,
  heapLimitBytes: Schema.Number,
  residentBytes: Schema.Number
})

export const Status = Schema.Struct({
  version: Schema.String,
  pid: Schema.Number,
  startedAt: Schema.String,
  uptimeMs: Schema.Number,
  health: Health,
  reasons: Schema.Array(Schema.String),
  platforms: Schema.Array(PlatformStatus),
  cron: Schema.Struct({ running: Schema.Boolean, lastTickAt: Instant, jobs: Schema.Array(JobSummary) }),
  inbox: Schema.Struct({
    accepted: Schema.Number,
    duplicates: Schema.Number,
    refused: Schema.Number,
    unprocessed: Schema.Number
  }),
  outbox: Schema.Struct({ pending: Schema.Number, delivered: Schema.Number, dead: Schema.Number }),
  store: Schema.Struct({
    ok: Schema.Boolean,
    url: Schema.String,
    bytes: Schema.Number,
    lastError: Schema.NullOr(Schema.String)
  }),
  config: Schema.Struct({
    source: Schema.String,
    loadedAt: Schema.String,
    restartNeeded: Schema.Array(Schema.String),
    error: Schema.NullOr(Schema.String)
  }),
  sessions: Schema.Struct({ active: Schema.Number }),
  /** Null where nobody measures it: an app that embeds the gateway measures itself. */
  process: Schema.NullOr(ProcessStatus)
})
export type Status = typeof Status.Type

/** What is asked of the actors. */
export type StatusSources =
  | Supervisor
  | Supervision
  | Ticker
  | Inbox
  | Sessions
  | InboxStore
  | OutboxStore
  | Database
  | About
  | Configuration

const noCounts = { pending: new Map<string, number>(), delivered: 0, dead: 0 }

/** Counts that the store does not give are 0; `store.lastError` says why. */
export const status: Effect.Effect<Status, never, StatusSources> = Effect.gen(function* () {
  const about = yield* About
  const now = yield* Clock.currentTimeMillis
  const links = yield* (yield* Supervisor).links
  const supervision = yield* Supervision
  const parts = yield* supervision.parts
  const ticker = yield* (yield* Ticker).status
  const counts = yield* (yield* Inbox).counts
  const turns = yield* Effect.orElseSucceed((yield* InboxStore).unprocessed, () => new Map<string, number>())
  const outbox = yield* Effect.orElseSucceed((yield* OutboxStore).counts, () => noCounts)
  const store = yield* (yield* Database).health
  const active = yield* (yield* Sessions).active
  const isStopping = yield* supervision.isStopping
  const { source, loadedAt, restartNeeded, error } = yield* (yield* Configuration).state
  const { health, reasons } = judge({ links, parts, store, isStopping, configError: error })
  return {
    version: about.version,
    pid: about.pid,
    startedAt: iso(about.startedAt),
    uptimeMs: now - about.startedAt,
    health,
    reasons,
    platforms: links.map((link) => platformStatus(link, turns.get(link.id) ?? 0, outbox.pending.get(link.id) ?? 0)),
    cron: { running: ticker.running, lastTickAt: isoOrNull(ticker.lastTickAt), jobs: ticker.jobs.map(jobSummary) },
    inbox: { ...counts, unprocessed: sum(turns) },
    outbox: { pending: sum(outbox.pending), delivered: outbox.delivered, dead: outbox.dead },
    store,
    config: { source, loadedAt: iso(loadedAt), restartNeeded, error },
    sessions: { active },
    process: processStatus(yield* (yield* Vitals).read)
  }
})

const processStatus = (signs: VitalSigns | null): typeof ProcessStatus.Type | null =>
  signs === null
    ? null
    : {
        loopDelayMs: Math.round(signs.loopDelayMillis),
        loopDelayMostMs: Math.round(signs.loopDelayMostMillis),
        fibers: signs.fibers,
        heapUsedBytes: signs.heapUsedBytes,
        heapLimitBytes: signs.heapLimitBytes,
        residentBytes: signs.residentBytes
      }

const platformStatus = (link: LinkReport, turns: number, outbox: number): typeof PlatformStatus.Type => ({
  id: link.id,
  kind: link.kind,
  state: link.state,
  since: iso(link.since),
  attempt: link.attempt,
  connects: link.connects,
  disconnects: link.disconnects,
  lastFrameAt: isoOrNull(link.lastFrameAt),
  lastInboundAt: isoOrNull(link.lastInboundAt),
  lastSentAt: isoOrNull(link.lastSentAt),
  nextAttemptAt: isoOrNull(link.nextAttemptAt),
  pathSilenceMs: link.pathSilenceMillis,
  sessionSilenceMs: link.sessionSilenceMillis,
  waiting: { turns, outbox },
  server: link.server,
  lastError: link.lastError === null ? null : { ...link.lastError, at: iso(link.lastError.at) }
})

export const jobSummary = ({ job, next, last }: JobStatus): typeof JobSummary.Type => ({
  id: job.id,
  schedule: job.schedule,
  timezone: job.timezone,
  deliverTo: formatAddress(job.deliverTo),
  next: isoOrNull(next),
  last:
    last === null
      ? null
      : {
          scheduledAt: iso(last.scheduledAt),
          startedAt: iso(last.decidedAt),
          outcome: last.outcome,
          reason: last.reason,
          delivery: last.delivery
        }
})

const sum = (counts: ReadonlyMap<string, number>): number => Array.from(counts.values()).reduce((a, b) => a + b, 0)
