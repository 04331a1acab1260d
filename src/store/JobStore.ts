/** Cron jobs and the ledger of their occurrences: each is decided once, and recorded before it acts. */
import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Job, JobId, Run } from "../domain/Job.ts"
import type { PromptDue } from "../domain/Inbound.ts"
import type { Outbound } from "../domain/Outbound.ts"
import type { NewEntry } from "./InboxStore.ts"

/** What follows from a decision, in the same transaction. */
export type Consequence =
  | { readonly _tag: "Skip"; readonly reason: string }
  /** Runs a turn: the entry goes into the inbox. */
  | { readonly _tag: "Turn"; readonly entry: NewEntry<PromptDue> }
  /** Says a text: the message goes into the outbox. */
  | { readonly _tag: "Say"; readonly message: Outbound }

export interface Decision {
  readonly job: JobId
  readonly scheduledAt: number
  readonly decidedAt: number
  readonly consequence: Consequence
}

/** A job and where its ledger stands. */
export interface StoredJob {
  readonly job: Job
  /** The newest occurrence that was decided; null before the first. */
  readonly lastScheduledAt: number | null
  readonly last: Run | null
}

export class JobStore extends Context.Service<
  JobStore,
  {
    /**
     * Makes the jobs of the file be the jobs of source `file`: new ones are added, those gone from it removed (their history
     * stays), and one whose schedule and zone are as they were keeps its `createdAt`.
     */
    readonly replaceFileJobs: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, StoreError>
    readonly put: (job: Job) => Effect.Effect<void, StoreError>
    /** False when there was none. The history stays. */
    readonly remove: (id: JobId) => Effect.Effect<boolean, StoreError>
    readonly list: Effect.Effect<ReadonlyArray<StoredJob>, StoreError>
    readonly find: (id: JobId) => Effect.Effect<Option.Option<StoredJob>, StoreError>
    /** The decisions in one transaction, with all that follows from them; of each, false when its occurrence was decided before. */
    readonly decide: (decisions: ReadonlyArray<Decision>) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
    /** A run of the job has not ended. */
    readonly running: (id: JobId) => Effect.Effect<boolean, StoreError>
    /** Newest first. */
    readonly runs: (id: JobId, limit: number) => Effect.Effect<ReadonlyArray<Run>, StoreError>
    /** Drops ended runs older than `before`, never the newest of a job; a bounded step, true while there may be more. */
    readonly prune: (before: number) => Effect.Effect<boolean, StoreError>
  }
>()("evergate/store/JobStore") {}
