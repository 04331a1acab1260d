/**
 * The jobs of a simulation, each with its occurrences worked out by plain arithmetic: a second opinion on the product's
 * timetables, for schedules that are even in time.
 */
import type { Address } from "../../domain/Address.ts"
import type { Job } from "../../domain/Job.ts"
import { JobId } from "../../domain/Job.ts"
import type { Chance } from "./chance.ts"
import type { Rows } from "./rows.ts"

export interface Even {
  readonly job: Job
  /** Occurrences are `anchor + n × period`, after the job's creation. */
  readonly periodMillis: number
  readonly anchorMillis: number
}

const minute = 60_000
const hour = 60 * minute

interface Sketch {
  readonly schedule: string
  readonly timezone?: string
  readonly prompt: boolean
  readonly policy: "skip" | "once" | "all"
  readonly withinMillis?: number
  readonly periodMillis: number
  /** From the epoch; absent: from the job's creation. */
  readonly anchorMillis?: number
}

const sketches: ReadonlyArray<Sketch> = [
  { schedule: "* * * * *", prompt: false, policy: "once", periodMillis: minute, anchorMillis: 0 },
  { schedule: "every 30m", prompt: false, policy: "all", periodMillis: 30 * minute },
  { schedule: "*/10 * * * *", prompt: true, policy: "skip", periodMillis: 10 * minute, anchorMillis: 0 },
  {
    schedule: "@hourly",
    // Half an hour off, all year round.
    timezone: "Asia/Kolkata",
    prompt: true,
    policy: "all",
    withinMillis: 2 * hour,
    periodMillis: hour,
    anchorMillis: 30 * minute
  }
]

/** One of each kind; they speak in chats drawn from those that there are. */
export const makeTimetables = (
  chance: Chance,
  chats: readonly [Address, ...ReadonlyArray<Address>],
  createdAt: number
): ReadonlyArray<Even> =>
  sketches.map((sketch, index) => {
    const { schedule, timezone = "UTC", prompt, policy, withinMillis = null, periodMillis, anchorMillis } = sketch
    const id = JobId.make(`job-${index}`)
    const job: Job = {
      id,
      schedule,
      timezone,
      deliverTo: chance.pick(chats),
      action: prompt ? { _tag: "Prompt", prompt: `prompt of ${id}` } : { _tag: "Text", text: `text of ${id}` },
      misfire: { policy, withinMillis },
      overlap: "skip",
      source: "file",
      createdAt
    }
    return { job, periodMillis, anchorMillis: anchorMillis ?? createdAt }
  })

/** The newest occurrence up to an instant; null when there was none yet. */
export const newestUpTo = ({ job, periodMillis, anchorMillis }: Even, until: number): number | null => {
  const at = anchorMillis + Math.floor((until - anchorMillis) / periodMillis) * periodMillis
  return at > job.createdAt ? at : null
}

/** It was decided: by a row of its own, or by one that says what it stands for. */
export const isDecided = (rows: Rows, { job }: Even, at: number): boolean =>
  rows.isDecided(job.id, at) ||
  rows.skipsAfter(job.id, at).some((reason) => {
    const since = /before it too, since (\S+)$/.exec(reason)?.[1]
    return since !== undefined && Date.parse(since) <= at
  })
