/** What the store keeps of troubles, read in one go by whoever may not write: jobs and their ledgers, messages, links. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Run } from "../domain/Job.ts"
import type { LinkChange } from "../domain/LinkState.ts"
import * as Jobs from "./jobTable.ts"
import type { StoredJob } from "./jobTable.ts"
import type { Delivery } from "./outboxTable.ts"
import * as Outbox from "./outboxTable.ts"
import { readable } from "./rows.ts"
import * as Runs from "./runTable.ts"

export interface Overview {
  /** With the newest of its runs, newest first. */
  readonly jobs: ReadonlyArray<{ readonly stored: StoredJob; readonly runs: ReadonlyArray<Run> }>
  readonly dead: { readonly count: number; readonly newest: ReadonlyArray<Delivery> }
  readonly pending: { readonly count: number; readonly oldestAt: number | null }
  /** Of each platform the newest changes, newest first. */
  readonly timelines: ReadonlyMap<string, ReadonlyArray<LinkChange>>
  /** By platform: the fingerprint of the settings that have connected. */
  readonly proved: ReadonlyMap<string, string>
}

const newestRuns = 5
const newestDead = 5
const newestChanges = 50

export const overview = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, platforms: ReadonlyArray<string>) {
  const stored = yield* readable((yield* Jobs.rows(sql)).map(Jobs.makeReader()))
  const jobs = yield* Effect.forEach(stored, (stored) =>
    Effect.map(Runs.runsOf(sql, stored.job.id, newestRuns), (runs) => ({ stored, runs }))
  )
  const { dead } = yield* Outbox.counts(sql)
  const newest = yield* readable((yield* Outbox.newest(sql, "dead", newestDead)).map(Outbox.decodeDelivery))
  const [pending] = yield* sql<{ count: number; oldestAt: number | null }>`
    SELECT COUNT(*) AS count, MIN(created_at) AS "oldestAt" FROM outbox WHERE state = 'pending'`
  const timelines = yield* Effect.forEach(platforms, (platform) =>
    Effect.map(timeline(sql, platform), (changes) => [platform, changes] as const)
  )
  const proved = yield* sql<{ platform: string; fingerprint: string }>`SELECT platform, fingerprint FROM proved`
  const found: Overview = {
    jobs,
    dead: { count: dead, newest },
    pending: pending ?? { count: 0, oldestAt: null },
    timelines: new Map(timelines),
    proved: new Map(proved.map(({ fingerprint, platform }) => [platform, fingerprint]))
  }
  return found
})

const timeline = (sql: SqlClient.SqlClient, platform: string) =>
  sql<LinkChange>`SELECT at, state, kind, message, attempt, next_attempt_at AS "nextAttemptAt" FROM timeline
    WHERE platform = ${platform} ORDER BY seq DESC LIMIT ${newestChanges}`
