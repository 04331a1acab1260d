/** A cron job: when it is due, what it does, and what becomes of occurrences that were missed or overlap. */
import { Schema } from "effect"
import { Address } from "./Address.ts"

export const JobId = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_.-]{0,63}$/i, {
    message: "Expected a job id: letters, digits, `-`, `_` and `.`, at most 64, beginning with a letter or digit"
  })
).pipe(Schema.brand("JobId"))
export type JobId = typeof JobId.Type

/** What to do about occurrences that passed while the process was down or asleep. */
export const Misfire = Schema.Struct({
  /** `skip` all; run the newest `once`; run `all`, oldest first. */
  policy: Schema.Literals(["skip", "once", "all"]),
  /** An occurrence later than this is skipped whatever the policy; null: however late. */
  withinMillis: Schema.NullOr(Schema.Number)
})
export type Misfire = typeof Misfire.Type

export const JobAction = Schema.Union([
  /** Runs a turn of the agent. */
  Schema.TaggedStruct("Prompt", { prompt: Schema.String }),
  /** Sent as it is. */
  Schema.TaggedStruct("Text", { text: Schema.String })
])
export type JobAction = typeof JobAction.Type

export const Job = Schema.Struct({
  id: JobId,
  /** As written: cron fields, a macro, `every 30m`, or an ISO instant. */
  schedule: Schema.NonEmptyString,
  /** An IANA zone, always stated: the one of the process that first saw the job where its writer named none. */
  timezone: Schema.NonEmptyString,
  deliverTo: Address,
  action: JobAction,
  misfire: Misfire,
  overlap: Schema.Literals(["skip"]),
  source: Schema.Literals(["file", "api"]),
  /** From when `every` counts and before when nothing is due. Unix milliseconds. */
  createdAt: Schema.Int
})
export type Job = typeof Job.Type

/** What was decided of one occurrence, once. `interrupted`: the process ended in the middle and the turn was not run again. */
export type RunOutcome = "running" | "ok" | "failed" | "skipped"

/** One row of a job's history. What the agent did and whether the platform took it are two things. */
export interface Run {
  readonly job: JobId
  readonly scheduledAt: number
  readonly decidedAt: number
  readonly outcome: RunOutcome
  /** Why it was skipped or failed. */
  readonly reason: string | null
  readonly endedAt: number | null
  readonly delivery: "none" | "pending" | "delivered" | "dead"
}
