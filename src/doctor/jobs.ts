/** Cron: what is due next, what was missed, and a job that never fires. Pure. */
import { Option, Result } from "effect"
import type { Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import { iso } from "../domain/instant.ts"
import type { Job, Run } from "../domain/Job.ts"
import * as Occurrences from "../schedules/occurrences.ts"
import type { Timetable } from "../schedules/timetable.ts"
import { parse } from "../schedules/timetable.ts"
import type { Overview } from "../store/overview.ts"

export interface Present {
  readonly now: number
  /** The ids of the platforms that are there and enabled. */
  readonly platforms: ReadonlyArray<string>
  readonly isRunning: boolean
}

/** An occurrence that was due this long ago has been decided by a ticker that lives. */
const lateMillis = 120_000
/** So many in a row are no accident. */
const skippedInARow = 3

/** Each job in trouble has a line; the others share one, with what is due next. */
export const examineJobs = (jobs: Overview["jobs"], present: Present): ReadonlyArray<Finding> => {
  const judged = jobs.map(({ runs, stored: { job, lastScheduledAt } }) =>
    judge(job, runs, lastScheduledAt ?? job.createdAt, present)
  )
  const troubles = judged.flatMap(({ trouble }) => (trouble === null ? [] : [trouble]))
  const coming = judged
    .flatMap(({ at, job, trouble }) => (trouble === null && at !== null ? [{ at, id: job.id }] : []))
    .toSorted((one, other) => one.at - other.at)
  const sound = judged.length - troubles.length
  const next = coming.slice(0, 5).map(({ at, id }) => `${id} at ${iso(at)}`)
  const summary = `${sound} of ${judged.length} jobs in order${next.length === 0 ? "" : `; next ${next.join(", ")}`}`
  return [...(sound > 0 || judged.length === 0 ? [about(null).ok("cron", summary)] : []), ...troubles]
}

interface Judged {
  readonly job: Job
  /** When it is due next. */
  readonly at: number | null
  readonly trouble: Finding | null
}

const judge = (job: Job, runs: ReadonlyArray<Run>, decidedUpTo: number, present: Present): Judged => {
  const timetable = parse({ schedule: job.schedule, timezone: job.timezone, createdAt: job.createdAt })
  const look = about(job.id)
  if (Result.isFailure(timetable)) {
    return { job, at: null, trouble: look.fail("cron", timetable.failure.message, writtenWhere(job, "schedule")) }
  }
  const at = Option.getOrNull(Occurrences.next(timetable.success, present.now))
  return { job, at, trouble: troubleOf(job, runs, at, missed(timetable.success, decidedUpTo, present.now), present) }
}

const missed = (timetable: Timetable, after: number, now: number): number | undefined =>
  Occurrences.newest(timetable, { after, until: now - lateMillis, limit: 1 }).at(-1)

const troubleOf = (
  job: Job,
  runs: ReadonlyArray<Run>,
  next: number | null,
  missedAt: number | undefined,
  { isRunning, platforms }: Present
): Finding | null => {
  const { fail, warn } = about(job.id)
  const history = `evergate cron history ${job.id}`
  const [last] = runs
  const latest = runs.slice(0, skippedInARow)
  if (!platforms.includes(job.deliverTo.platform)) {
    return fail(
      "cron",
      `never arrives: it delivers to ${job.deliverTo.platform}, which is no enabled platform`,
      `${writtenWhere(job, "deliverTo")}, or enable that platform`
    )
  }
  if (missedAt !== undefined) {
    const seen = `was due at ${iso(missedAt)} and nothing was decided about it`
    return isRunning
      ? fail(
          "cron",
          `does not fire: it ${seen}`,
          "evergate top (does the ticker make progress?); then evergate restart"
        )
      : warn(
          "cron",
          `was missed while the gateway was stopped: it ${seen}`,
          "evergate start (decides it by the job's misfire)"
        )
  }
  if (next === null && last === undefined) {
    return fail("cron", `never fires: nothing is due after ${iso(job.createdAt)}`, writtenWhere(job, "schedule"))
  }
  if (latest.length === skippedInARow && latest.every(({ outcome }) => outcome === "skipped")) {
    return fail(
      "cron",
      `never fires: its last ${skippedInARow} occurrences were skipped, last ${latest[0]?.reason ?? "without a reason"}`,
      `${history}; keep the gateway running at those times, or ${writtenWhere(job, "misfire")}`
    )
  }
  if (last?.outcome === "failed")
    return warn("cron", `its last run failed: ${last.reason ?? "without a reason"}`, history)
  return last?.delivery === "dead"
    ? warn("cron", "what its last run said was not delivered", "evergate outbox list --state dead")
    : null
}

const writtenWhere = ({ id, source }: Job, key: string): string =>
  source === "file"
    ? `correct \`${key}\` of the job ${id} under cron: in the configuration`
    : `make the job ${id} anew with another ${key}`
