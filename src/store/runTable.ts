/** The ledger of cron runs in SQL, for what decides them and for what ends them. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { JobId, Run } from "../domain/Job.ts"
import { pruneStep } from "./rows.ts"

/** The occurrence of a job that a turn or a message belongs to. */
export interface RunKey {
  readonly job: string
  readonly scheduledAt: number
}

/** Enters an occurrence; false when it was decided before. */
export const insertRun = (sql: SqlClient.SqlClient, run: Run) =>
  Effect.map(
    sql`INSERT INTO cron_runs (job, scheduled_at, decided_at, outcome, reason, ended_at, delivery)
      VALUES (${run.job}, ${run.scheduledAt}, ${run.decidedAt}, ${run.outcome}, ${run.reason}, ${run.endedAt}, ${run.delivery})
      ON CONFLICT DO NOTHING RETURNING job`,
    (rows) => rows.length > 0
  )

/** The run's turn ended; what it says is on its way. */
export const endRun = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  run: RunKey,
  end: { readonly outcome: "ok" | "failed"; readonly error: string | null; readonly endedAt: number }
) {
  yield* sql`UPDATE cron_runs SET outcome = ${end.outcome}, reason = ${end.error}, ended_at = ${end.endedAt}
    WHERE job = ${run.job} AND scheduled_at = ${run.scheduledAt} AND ended_at IS NULL`
  yield* settleRun(sql, run)
})

/**
 * The ledger's word on a run's messages: dead when one is, delivered when all are. It is kept here, since messages are
 * pruned sooner; a run without messages keeps what it said.
 */
export const settleRun = (sql: SqlClient.SqlClient, { job, scheduledAt }: RunKey) =>
  sql`UPDATE cron_runs SET delivery = COALESCE((
      SELECT CASE
        WHEN COUNT(*) = 0 THEN NULL
        WHEN MAX(CASE WHEN state = 'dead' THEN 1 ELSE 0 END) = 1 THEN 'dead'
        WHEN MAX(CASE WHEN state = 'pending' THEN 1 ELSE 0 END) = 1 THEN 'pending'
        ELSE 'delivered' END
      FROM outbox WHERE job = ${job} AND scheduled_at = ${scheduledAt}), delivery)
    WHERE job = ${job} AND scheduled_at = ${scheduledAt}`

/** Newest first. */
export const runsOf = (sql: SqlClient.SqlClient, job: JobId, limit: number) =>
  sql<Run>`SELECT job, scheduled_at AS "scheduledAt", decided_at AS "decidedAt", outcome, reason, ended_at AS "endedAt", delivery
    FROM cron_runs WHERE job = ${job} ORDER BY scheduled_at DESC LIMIT ${limit}`

/** A run of the job has not ended. */
export const isRunning = (sql: SqlClient.SqlClient, job: JobId) =>
  Effect.map(sql`SELECT job FROM cron_runs WHERE job = ${job} AND ended_at IS NULL LIMIT 1`, (rows) => rows.length > 0)

/** One step: what ended longest ago; the newest of a job stays, since it tells where the job stands. */
export const prune = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, before: number) {
  const pruned = yield* sql`DELETE FROM cron_runs WHERE (job, scheduled_at) IN (
    SELECT job, scheduled_at FROM cron_runs AS old
    WHERE ended_at IS NOT NULL AND ended_at < ${before}
      AND scheduled_at < (SELECT MAX(scheduled_at) FROM cron_runs AS other WHERE other.job = old.job)
    ORDER BY ended_at LIMIT ${pruneStep}) RETURNING job`
  return pruned.length === pruneStep
})
