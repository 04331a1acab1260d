/** What the ticker does at each look at a job: asks what is due, has it decided, and wakes who has to act. */
import { Cause, Clock, Duration, Effect, Metric } from "effect"
import * as duration from "../domain/duration.ts"
import type { StoreError } from "../domain/Errors.ts"
import { iso } from "../domain/instant.ts"
import type { Job } from "../domain/Job.ts"
import type { SessionScope } from "../domain/Session.ts"
import { due } from "../schedules/due.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { advance, fresh } from "../schedules/wakefulness.ts"
import type { Decision, StoredJob } from "../store/JobStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { decisionOf } from "./cronDecision.ts"
import * as Memories from "./cronMemory.ts"
import { Feed } from "./Feed.ts"
import { cronLateness } from "./metrics.ts"
import { Outbox } from "./Outbox.ts"
import { Sessions } from "./Sessions.ts"
import { Spans } from "./Spans.ts"

export interface Looks {
  /** Looks at every job; a job that fails is told of and looked at again the next time. */
  readonly all: Effect.Effect<ReadonlyArray<StoredJob>, StoreError>
  /** Looks at one job: what is due of it is decided when this returns. */
  readonly one: (stored: StoredJob) => Effect.Effect<void, StoreError>
  /** Decides, records and acts; false when the occurrence was decided before. */
  readonly decide: (job: Job, decisions: ReadonlyArray<Decision>) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
  /** The next occurrence after an instant; null when there is none. */
  readonly nextOf: (job: Job, after: number) => number | null
}

/** Jobs that are due together are decided together: the store commits in groups, and each takes back only its own. */
const concurrency = 32

export const make = Effect.fnUntraced(function* (scope: SessionScope) {
  const store = yield* JobStore
  const act = yield* makeAct
  const memories = Memories.make()
  let wakefulness = fresh({ wall: yield* Clock.currentTimeMillis, elapsed: yield* monotonicMillis })

  const decide: Looks["decide"] = (job, decisions) =>
    // Between the ledger and the waking no stop comes in; after a crash, who starts looks at the rows.
    store.decide(decisions).pipe(
      Effect.tap((fresh) =>
        Effect.forEach(
          decisions.filter((_, i) => fresh[i] === true),
          (made) => act.tell(job, made)
        )
      ),
      // Whatever the answer: one that got lost may have been a yes, and nobody would ask again.
      Effect.ensuring(Effect.forEach(decisions, (made) => act.wake(job, made), { discard: true })),
      Effect.uninterruptible
    )

  const one = Effect.fnUntraced(function* ({ job, lastScheduledAt }: StoredJob) {
    const now = yield* Clock.currentTimeMillis
    if (memories.rests(job, now)) return
    const memory = yield* memories.of(job)
    const { since, timetable } = memory
    if (timetable === null) return
    const { awakeSince } = wakefulness
    const found = due({ job, timetable, last: lastScheduledAt, since, awakeSince, now })
    if (found.length > 0) {
      const overlaps = yield* store.running(job.id)
      yield* decide(job, yield* Effect.forEach(found, (each) => decisionOf(job, each, { overlaps, scope, now })))
    }
    memories.decidedUntil(memory, timetable, now)
  })

  const all = Effect.gen(function* () {
    wakefulness = advance(wakefulness, { wall: yield* Clock.currentTimeMillis, elapsed: yield* monotonicMillis })
    const jobs = yield* store.list
    memories.keep(new Set(jobs.map(({ job }) => job.id)))
    const now = yield* Clock.currentTimeMillis
    yield* Effect.forEach(
      jobs.filter(({ job }) => !memories.rests(job, now)),
      (stored) => Effect.catchCause(one(stored), told(stored.job)),
      { concurrency, discard: true }
    )
    return jobs
  })

  const looks: Looks = { all, one, decide, nextOf: memories.nextOf }
  return looks
})

/**
 * Whatever is wrong with one job, a bug or an interruption from within included, the others and the ticker go on, and the
 * job is looked at again. A stop of the ticker comes from outside and is not caught here.
 */
const told = (job: Job) => (cause: Cause.Cause<StoreError>) =>
  Effect.logError("cron job failed").pipe(Effect.annotateLogs({ job: job.id, cause: Cause.pretty(cause) }))

/** What a decision that is in the ledger leads to. */
const makeAct = Effect.gen(function* () {
  const sessions = yield* Sessions
  const outbox = yield* Outbox
  const feed = yield* Feed
  const spans = yield* Spans

  /** A hint to look, which does no harm where there is nothing. */
  const wake = ({ deliverTo }: Job, { consequence }: Decision): Effect.Effect<void> => {
    switch (consequence._tag) {
      case "Skip":
        return Effect.void
      case "Turn":
        return sessions.wake(consequence.entry.session)
      case "Say":
        return outbox.wake(deliverTo.platform, deliverTo.chat)
    }
  }
  const tell = Effect.fnUntraced(function* (job: Job, { consequence, scheduledAt, decidedAt }: Decision) {
    const scheduled = iso(scheduledAt)
    const told = { _tag: "RunDecided", job: job.id, scheduledAt, at: decidedAt } as const
    if (consequence._tag === "Skip") {
      const { reason } = consequence
      yield* Effect.logInfo("cron skipped").pipe(Effect.annotateLogs({ job: job.id, scheduled, reason }))
      return yield* feed.tell({ ...told, outcome: "skipped", reason })
    }
    const late = duration.format(Duration.millis(decidedAt - scheduledAt))
    yield* Metric.update(cronLateness, (decidedAt - scheduledAt) / 1000)
    if (consequence._tag === "Turn") yield* spans.stored([consequence.entry])
    yield* Effect.logInfo("cron fired").pipe(Effect.annotateLogs({ job: job.id, scheduled, late }))
    yield* feed.tell({ ...told, outcome: consequence._tag === "Turn" ? "running" : "ok", reason: null })
  })
  return { wake, tell }
})
