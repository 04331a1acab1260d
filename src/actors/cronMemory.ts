/**
 * What the ticker remembers of its jobs between two looks: how their schedules read, and until when nothing of them can be
 * due. Most looks end here, without a search of a timetable. Ticker → cronLooks → **cronMemory**.
 */
import { Effect, Option, Result } from "effect"
import type { Job, JobId } from "../domain/Job.ts"
import { next } from "../schedules/occurrences.ts"
import type { Timetable } from "../schedules/timetable.ts"
import { parse } from "../schedules/timetable.ts"

/** Of one job. Instants are Unix milliseconds of the wall clock. */
export interface Memory {
  readonly job: Job
  /** Null when the schedule does not read. */
  readonly timetable: Timetable | null
  /** The last look; null before the first. */
  since: number | null
  /** The next occurrence after `since`. */
  until: number
}

export interface Memories {
  /** Of the job as it is now; a schedule that does not read is told of once. */
  readonly of: (job: Job) => Effect.Effect<Memory>
  /** Nothing of the job can be due; that it was looked at is remembered. */
  readonly rests: (job: Job, now: number) => boolean
  /** Everything up to now is decided. */
  readonly decidedUntil: (memory: Memory, timetable: Timetable, now: number) => void
  /** The next occurrence after an instant; null when there is none. */
  readonly nextOf: (job: Job, after: number) => number | null
  /** Forgets all but these. */
  readonly keep: (jobs: ReadonlySet<JobId>) => void
}

export const make = (): Memories => {
  const memories = new Map<JobId, Memory>()

  const known = (job: Job): Memory | undefined => {
    const memory = memories.get(job.id)
    return memory !== undefined && isSame(memory.job, job) ? memory : undefined
  }
  const learn = Effect.fnUntraced(function* (job: Job) {
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

  return {
    of: (job) =>
      Effect.suspend(() => {
        const memory = known(job)
        return memory === undefined ? learn(job) : Effect.succeed(memory)
      }),
    rests: (job, now) => {
      const memory = known(job)
      if (memory === undefined || !isQuiet(memory, now)) return false
      memory.since = now
      return true
    },
    decidedUntil: (memory, timetable, now) => {
      memory.since = now
      memory.until = Option.getOrElse(next(timetable, now), () => Number.POSITIVE_INFINITY)
    },
    nextOf: (job, after) => {
      const memory = known(job)
      if (memory !== undefined && isQuiet(memory, after)) return Number.isFinite(memory.until) ? memory.until : null
      const timetable = memory === undefined ? Option.getOrNull(Result.getSuccess(parse(job))) : memory.timetable
      return timetable === null ? null : Option.getOrNull(next(timetable, after))
    },
    keep: (jobs) => {
      for (const id of memories.keys()) if (!jobs.has(id)) memories.delete(id)
    }
  }
}

/** The clock has neither reached what comes next nor gone back. */
const isQuiet = ({ since, until }: Memory, now: number): boolean => since !== null && since <= now && now < until

const isSame = (one: Job, other: Job): boolean =>
  one.schedule === other.schedule && one.timezone === other.timezone && one.createdAt === other.createdAt
