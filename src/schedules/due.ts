/**
 * What is due: everything up to now that was not decided, judged by the misfire policy. Late is never too early to run
 * and no window is matched; how late is only written down. Pure: the ticker asks, the ledger keeps each answer once.
 */
import { Duration } from "effect"
import * as duration from "../domain/duration.ts"
import { iso } from "../domain/instant.ts"
import type { Job } from "../domain/Job.ts"
import { newest } from "./occurrences.ts"
import type { Timetable } from "./timetable.ts"

/** What becomes of an occurrence. */
export type Due =
  | { readonly _tag: "Run"; readonly scheduledAt: number; readonly lateMillis: number }
  /** Stands for the occurrences before it that were skipped with it, too. */
  | { readonly _tag: "Skip"; readonly scheduledAt: number; readonly reason: string }

/** A look at a job. Instants are Unix milliseconds of the wall clock. */
export interface Look {
  readonly job: Pick<Job, "createdAt" | "misfire">
  readonly timetable: Timetable
  /** The newest occurrence that was decided; null before the first. */
  readonly last: number | null
  /** When this job was looked at before, by this process; null at the first look. */
  readonly since: number | null
  /** Up to here the process was down or asleep. */
  readonly awakeSince: number
  readonly now: number
}

/** Runs at one look; under `all` the newest ones, and what is older is skipped. */
export const mostRuns = 1_000
/** What was missed by less than this is simply late, and runs whatever the policy. */
export const toleranceMillis = 60_000

/** The decisions that a look asks for: at most one skip, then the runs, oldest first. */
export const due = (look: Look): ReadonlyArray<Due> => {
  const { job, now } = look
  const found = newest(look.timetable, { after: decidedUntil(look), until: now, limit: mostRuns + 1 })
  const runnable = found.filter((at) => refusal(look, at) === null)
  // What is refused is older than what is not, so the skipped are always those before the first that runs.
  const runs = runnable.slice(job.misfire.policy === "all" ? -mostRuns : -1)
  const skipped = found.slice(0, found.length - runs.length)
  return [
    ...skip(look, skipped),
    ...runs.map((at) => ({ _tag: "Run", scheduledAt: at, lateMillis: now - at }) as const)
  ]
}

/**
 * From where to look. When the clock went back behind what was decided, the ledger's end is in the future and does not
 * hold up what comes now: from the look before on, occurrences are due as the clock passes them, and those that are in
 * the ledger already are refused there.
 */
const decidedUntil = ({ job, last, since, now }: Look): number => {
  const decided = Math.max(job.createdAt, last ?? job.createdAt)
  return decided <= now ? decided : Math.min(since ?? now, now)
}

/** Why an occurrence does not run, whatever comes after it; null when it may. */
const refusal = ({ job, now, awakeSince }: Look, at: number): string | null => {
  const { policy, withinMillis } = job.misfire
  const late = now - at
  if (withinMillis !== null && late > withinMillis) {
    return `later than misfire.within, ${duration.format(Duration.millis(withinMillis))}`
  }
  const missed = at < awakeSince && late > toleranceMillis
  return missed && policy === "skip" ? "missed while the gateway was down or asleep; misfire policy skip" : null
}

const skip = (look: Look, skipped: ReadonlyArray<number>): ReadonlyArray<Due> => {
  const [first] = skipped
  const last = skipped.at(-1)
  if (first === undefined || last === undefined) return []
  const reason = refusal(look, last) ?? "a later occurrence runs in its place"
  const before = skipped.length - 1
  const more =
    before === 0 ? "" : `; ${before >= mostRuns - 1 ? "at least " : ""}${before} before it too, since ${iso(first)}`
  return [{ _tag: "Skip", scheduledAt: last, reason: reason + more }]
}
