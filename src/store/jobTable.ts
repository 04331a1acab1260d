/** Cron jobs in SQL, and what a decision leads to. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoreError } from "../domain/Errors.ts"
import type { PromptDue } from "../domain/Inbound.ts"
import type { JobId, Run } from "../domain/Job.ts"
import { Job } from "../domain/Job.ts"
import type { Outbound } from "../domain/Outbound.ts"
import type { NewEntry } from "./inboxTable.ts"
import { insertEntry } from "./inboxTable.ts"
import { insertMessage } from "./outboxTable.ts"
import { decoder } from "./rows.ts"
import { insertRun } from "./runTable.ts"

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

export interface JobRow {
  readonly id: string
  readonly job: string
}

const decodeRow = decoder("cron_jobs", Schema.Struct({ job: Schema.fromJsonString(Job) }))
const decodeJob = (row: JobRow) => Effect.map(decodeRow(row, row.id), ({ job }) => job)

export const put = (sql: SqlClient.SqlClient, job: Job) =>
  sql`INSERT INTO cron_jobs (id, source, job) VALUES (${job.id}, ${job.source}, ${JSON.stringify(job)})
    ON CONFLICT (id) DO UPDATE SET source = excluded.source, job = excluded.job`

/** False when there was none. */
export const remove = (sql: SqlClient.SqlClient, id: JobId) =>
  Effect.map(sql`DELETE FROM cron_jobs WHERE id = ${id} RETURNING id`, (rows) => rows.length > 0)

/** When the job, as it stands in the file, was first seen: a new schedule or zone makes it a new one. */
const createdAt = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, job: Job) {
  const [row] = yield* sql<JobRow>`SELECT id, job FROM cron_jobs WHERE id = ${job.id}`
  if (row === undefined) return job.createdAt
  return yield* Effect.match(decodeJob(row), {
    onSuccess: (known) =>
      known.schedule === job.schedule && known.timezone === job.timezone ? known.createdAt : job.createdAt,
    // What does not read back is replaced by what the file says.
    onFailure: () => job.createdAt
  })
})

/** Makes the jobs of the file be those of source `file`. */
export const replaceFileJobs = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, jobs: ReadonlyArray<Job>) {
  const kept = new Set<string>(jobs.map((job) => job.id))
  const known = yield* sql<{ id: JobId }>`SELECT id FROM cron_jobs WHERE source = 'file'`
  for (const { id } of known) if (!kept.has(id)) yield* remove(sql, id)
  for (const job of jobs) yield* put(sql, { ...job, createdAt: yield* createdAt(sql, job) })
})

/** A job with the newest of its runs beside it, in one question: the ticker asks it every few seconds. */
export interface JobAndLast extends JobRow {
  readonly scheduledAt: number | null
  readonly decidedAt: number
  readonly outcome: Run["outcome"]
  readonly reason: string | null
  readonly endedAt: number | null
  readonly delivery: Run["delivery"]
}

const withLast = (sql: SqlClient.SqlClient) =>
  sql.literal(`SELECT id, cron_jobs.job, scheduled_at AS "scheduledAt", decided_at AS "decidedAt", outcome, reason,
    ended_at AS "endedAt", delivery
  FROM cron_jobs LEFT JOIN cron_runs ON cron_runs.job = id
    AND scheduled_at = (SELECT MAX(scheduled_at) FROM cron_runs WHERE job = id)`)

export const rows = (sql: SqlClient.SqlClient) => sql<JobAndLast>`${withLast(sql)} ORDER BY id`

export const row = (sql: SqlClient.SqlClient, id: JobId) => sql<JobAndLast>`${withLast(sql)} WHERE id = ${id}`

/** Jobs that a reader knows by their text; past it they are decoded anew. */
const mostKnown = 1_000

/** Reads jobs back, and the ends of their ledgers. The same few come back every few seconds: each text is decoded once. */
export const makeReader = () => {
  const known = new Map<string, Job>()
  const remember = (text: string, job: Job) => {
    if (known.size >= mostKnown) known.clear()
    known.set(text, job)
  }
  const read = ({ id, job: text }: JobAndLast): Effect.Effect<Job, StoreError> => {
    const job = known.get(text)
    return job === undefined
      ? Effect.tap(decodeJob({ id, job: text }), (job) => Effect.sync(() => remember(text, job)))
      : Effect.succeed(job)
  }
  return (row: JobAndLast) =>
    Effect.map(read(row), (job): StoredJob => {
      const { scheduledAt, decidedAt, outcome, reason, endedAt, delivery } = row
      const run = { job: job.id, decidedAt, outcome, reason, endedAt, delivery }
      return { job, lastScheduledAt: scheduledAt, last: scheduledAt === null ? null : { ...run, scheduledAt } }
    })
}

/** The run as it is entered; a turn ends it later. */
export const runOf = ({ consequence, decidedAt, job, scheduledAt }: Decision): Run => {
  const decided = { job, scheduledAt, decidedAt }
  switch (consequence._tag) {
    case "Skip":
      return { ...decided, outcome: "skipped", reason: consequence.reason, endedAt: decidedAt, delivery: "none" }
    case "Turn":
      return { ...decided, outcome: "running", reason: null, endedAt: null, delivery: "none" }
    case "Say":
      return { ...decided, outcome: "ok", reason: null, endedAt: decidedAt, delivery: "pending" }
  }
}

/** Decides an occurrence, with all that follows; false, and nothing of it, where it was decided before. */
export const decide = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, decision: Decision) {
  if (!(yield* insertRun(sql, runOf(decision)))) return false
  const { consequence, decidedAt, job, scheduledAt } = decision
  switch (consequence._tag) {
    case "Skip":
      return true
    case "Turn":
      return yield* insertEntry(sql, consequence.entry)
    case "Say":
      yield* insertMessage(sql, consequence.message, { at: decidedAt, run: { job, scheduledAt } })
      return true
  }
})
