/** Cron jobs and the ledger of their occurrences: each is decided once, and recorded before it acts. */
import { Context, Effect, Layer, Option } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Job, JobId, Run } from "../domain/Job.ts"
import { Database } from "./Database.ts"
import type { Decision, StoredJob } from "./jobTable.ts"
import * as Table from "./jobTable.ts"
import { readable } from "./rows.ts"
import * as Runs from "./runTable.ts"

export type { Consequence, Decision, StoredJob } from "./jobTable.ts"

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
    /** One that does not read back is logged and left out: it must not stop the others. */
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
>()("evergate/store/JobStore") {
  static readonly layer: Layer.Layer<JobStore, never, Database> = Layer.effect(
    JobStore,
    Effect.gen(function* () {
      const db = yield* Database
      const { sql } = db
      const stored = Table.makeReader()
      const find = Effect.fnUntraced(function* (id: JobId) {
        const [row] = yield* db.read("find", Table.row(sql, id))
        return row === undefined ? Option.none() : Option.some(yield* stored(row))
      })

      return JobStore.of({
        replaceFileJobs: (jobs) => db.write("replaceFileJobs", Table.replaceFileJobs(sql, jobs)),
        put: (job) => Effect.asVoid(db.write("put", Table.put(sql, job))),
        remove: (id) => db.write("remove", Table.remove(sql, id)),
        list: Effect.flatMap(db.read("list", Table.rows(sql)), (rows) => readable(rows.map(stored))),
        find,
        decide: (decisions) =>
          db.write(
            "decide",
            Effect.forEach(decisions, (decision) => Table.decide(sql, decision))
          ),
        running: (id) => db.read("running", Runs.isRunning(sql, id)),
        runs: (id, limit) => db.read("runs", Runs.runsOf(sql, id, limit)),
        prune: (before) => db.write("prune", Runs.prune(sql, before))
      })
    })
  )
}
