/** What the ticker does at each look at a job: asks what is due, has it decided, and wakes who has to act. */
import { Cause, Clock, Duration, Effect, Option, Result } from "effect"
import * as duration from "../domain/duration.ts"
import type { StoreError } from "../domain/Errors.ts"
import { iso } from "../domain/instant.ts"
import type { Job, JobId } from "../domain/Job.ts"
import type { SessionScope } from "../domain/Session.ts"
import { due } from "../schedules/due.ts"
import { monotonicMillis } from "../schedules/monotonic.ts"
import { next } from "../schedules/occurrences.ts"
import type { Timetable } from "../schedules/timetable.ts"
import { parse } from "../schedules/timetable.ts"
import { advance, fresh } from "../schedules/wakefulness.ts"
import type { Decision, StoredJob } from "../store/JobStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { decisionOf } from "./cronDecision.ts"
import { Feed } from "./Feed.ts"
import { Outbox } from "./Outbox.ts"
import { Sessions } from "./Sessions.ts"

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

/** What is remembered of a job between two looks. */
interface Memory {
  readonly job: Job
  readonly timetable: Timetable | null
  since: number | null
  /** The next occurrence after `since`: until then nothing is due, and no timetable has to be searched again. */
  until: number
}

/** Nothing is due: the clock has neither reached what comes next nor gone back. */
const isQuiet = ({ since, until }: Memory, now: number): boolean => since !== null && since <= now && now < until

export const make = Effect.fnUntraced(function* (scope: SessionScope) {
  const store = yield* JobStore
  const act = yield* makeAct
  const memories = new Map<JobId, Memory>()
  let wakefulness = fresh({ wall: yield* Clock.currentTimeMillis, elapsed: yield* monotonicMillis })

  const memoryOf = Effect.fnUntraced(function* (job: Job) {
    const known = memories.get(job.id)
    if (known !== undefined && isSame(known.job, job)) return known
    const parsed = parse(job)
    if (Result.isFailure(parsed)) {
      yield* Effect.logError("cron job cannot run").pipe(
        Effect.annotateLogs({ job: job.id, error: parsed.failure.message })
      )
    }
    const memory: Memory = { job, timetable: Result.isSuccess(parsed) ? parsed.success : null, since: null, until: 0 }
    memories.set(job.id, memory)
    return memory
  })

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
    const memory = yield* memoryOf(job)
    if (memory.timetable === null) return
    const now = yield* Clock.currentTimeMillis
    if (isQuiet(memory, now)) {
      memory.since = now
      return
    }
    const { awakeSince } = wakefulness
    const found = due({ job, timetable: memory.timetable, last: lastScheduledAt, since: memory.since, awakeSince, now })
    if (found.length > 0) {
      const overlaps = yield* store.running(job.id)
      yield* decide(job, yield* Effect.forEach(found, (each) => decisionOf(job, each, { overlaps, scope, now })))
    }
    memory.since = now
    memory.until = Option.getOrElse(next(memory.timetable, now), () => Number.POSITIVE_INFINITY)
  })

  const all = Effect.gen(function* () {
    wakefulness = advance(wakefulness, { wall: yield* Clock.currentTimeMillis, elapsed: yield* monotonicMillis })
    const jobs = yield* store.list
    const ids = new Set(jobs.map(({ job }) => job.id))
    for (const id of memories.keys()) if (!ids.has(id)) memories.delete(id)
    yield* Effect.forEach(jobs, (stored) => Effect.catchCause(one(stored), told(stored.job)), {
      concurrency,
      discard: true
    })
    return jobs
  })

  const nextOf: Looks["nextOf"] = (job, after) => {
    const memory = memories.get(job.id)
    if (memory !== undefined && isQuiet(memory, after)) return Number.isFinite(memory.until) ? memory.until : null
    const timetable = memory?.timetable ?? Option.getOrNull(Result.getSuccess(parse(job)))
    return timetable === null ? null : Option.getOrNull(next(timetable, after))
  }

  const looks: Looks = { all, one, decide, nextOf }
  return looks
})

/**
 * Whatever is wrong with one job, a bug or an interruption from within included, the others and the ticker go on, and the
 * job is looked at again. A stop of the ticker comes from outside and is not caught here.
 */
const told = (job: Job) => (cause: Cause.Cause<StoreError>) =>
  Effect.logError("cron job failed").pipe(Effect.annotateLogs({ job: job.id, cause: Cause.pretty(cause) }))

const isSame = (one: Job, other: Job): boolean =>
  one.schedule === other.schedule && one.timezone === other.timezone && one.createdAt === other.createdAt

/** What a decision that is in the ledger leads to. */
const makeAct = Effect.gen(function* () {
  const sessions = yield* Sessions
  const outbox = yield* Outbox
  const feed = yield* Feed

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
    yield* Effect.logInfo("cron fired").pipe(Effect.annotateLogs({ job: job.id, scheduled, late }))
    yield* feed.tell({ ...told, outcome: consequence._tag === "Turn" ? "running" : "ok", reason: null })
  })
  return { wake, tell }
})
