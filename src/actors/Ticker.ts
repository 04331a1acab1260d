/** The clock that never stops: its own fiber, which knows of no platform. Decides each occurrence of each job once. */
import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Job, JobId, Run } from "../domain/Job.ts"

export interface JobStatus {
  readonly job: Job
  /** Unix milliseconds; null when there is none. */
  readonly next: number | null
  readonly last: Run | null
}

export class Ticker extends Context.Service<
  Ticker,
  {
    readonly status: Effect.Effect<{
      readonly running: boolean
      readonly lastTickAt: number | null
      readonly jobs: ReadonlyArray<JobStatus>
    }>
    /** Runs a job now, by the same overlap rule; none when there is no such job. */
    readonly runNow: (id: JobId) => Effect.Effect<Option.Option<Run>, StoreError>
    /** The jobs in the store changed: read them again and work out what is next. */
    readonly refresh: Effect.Effect<void>
  }
>()("evergate/actors/Ticker") {}
