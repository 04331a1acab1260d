/**
 * One message in SQL, across all tables, by any id that somebody may have of it. Only asked by hand: what has no index is
 * read through, the large tables last.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Address } from "../domain/Address.ts"
import type { DeliveryState } from "./outboxTable.ts"

/** What was accepted. Times are Unix milliseconds. */
export interface EntryRow extends Address {
  readonly seq: number
  readonly eventId: string | null
  readonly messageId: string | null
  readonly revision: number
  readonly session: string
  readonly turn: string
  readonly job: string | null
  readonly scheduledAt: number | null
  readonly receivedAt: number
  /** How often it came again. */
  readonly copies: number
  readonly attempts: number
  readonly begunAt: number | null
  readonly endedAt: number | null
  readonly outcome: "ok" | "failed" | null
  readonly error: string | null
}

export interface RefusedRow {
  readonly platform: string
  readonly eventId: string
  readonly messageId: string | null
  readonly reason: string
  readonly at: number
}

export interface DeliveryRow extends Address {
  readonly id: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: number
  readonly notBefore: number
  readonly endedAt: number | null
  readonly unknown: number
  /** The platform's own id of what was sent. */
  readonly messageId: string | null
  readonly replyTo: string | null
  readonly lastError: string | null
  /** What waits before it in its chat. */
  readonly ahead: number
}

/** An entry of the same session whose turn has not ended. */
export interface BeforeRow {
  readonly turn: string
  readonly begunAt: number | null
}

/** Ids of a platform are unique within a chat at best, so that one may name several messages. */
const most = 20

/** The turn that a turn's id, or the id of one of its replies, names. */
export const turnIn = (id: string): string | null => /^(t_\w+?)(?:-\d+)?$/.exec(id)?.[1] ?? null

export const entries = (sql: SqlClient.SqlClient, id: string) => {
  const turn = turnIn(id)
  // Each by an index that holds no more than the ids; a turn's id has none.
  const found = sql`seq IN (SELECT seq FROM inbox WHERE message_id = ${id})
    OR seq IN (SELECT seq FROM inbox WHERE event_id = ${id})`
  return sql<EntryRow>`SELECT seq, platform, chat, thread, event_id AS "eventId", message_id AS "messageId", revision,
      session, turn, job, scheduled_at AS "scheduledAt", received_at AS "receivedAt", copies, attempts,
      begun_at AS "begunAt", ended_at AS "endedAt", outcome, error
    FROM inbox WHERE ${turn === null ? found : sql`turn = ${turn} OR ${found}`} ORDER BY seq LIMIT ${most}`
}

export const refused = (sql: SqlClient.SqlClient, id: string) =>
  sql<RefusedRow>`SELECT platform, event_id AS "eventId", message_id AS "messageId", reason, at FROM refused
    WHERE event_id = ${id} OR message_id = ${id} ORDER BY seq LIMIT ${most}`

/** What the session has to do first. */
export const before = (sql: SqlClient.SqlClient, { seq, session }: EntryRow) =>
  sql<BeforeRow>`SELECT turn, begun_at AS "begunAt" FROM inbox
    WHERE session = ${session} AND seq < ${seq} AND ended_at IS NULL ORDER BY seq LIMIT ${most}`

/** Since when the link was up that it came on; null when its timeline does not reach back so far. */
export const linkSince = (sql: SqlClient.SqlClient, { platform, receivedAt }: EntryRow) =>
  Effect.map(
    sql<{ at: number }>`SELECT at FROM timeline WHERE platform = ${platform} AND state = 'connected'
      AND at <= ${receivedAt} ORDER BY seq DESC LIMIT 1`,
    ([row]) => row?.at ?? null
  )

const deliveries = (sql: SqlClient.SqlClient) =>
  sql.literal(`SELECT id, platform, chat, thread, state, attempts, created_at AS "createdAt", not_before AS "notBefore",
    ended_at AS "endedAt", unknown, message_id AS "messageId", reply_to AS "replyTo", last_error AS "lastError",
    (SELECT COUNT(*) FROM outbox AS other WHERE other.platform = outbox.platform AND other.chat = outbox.chat
      AND other.state = 'pending' AND other.seq < outbox.seq) AS ahead FROM outbox`)

/** What a turn said. The ids of its replies begin with its own, and the index of ids holds them side by side. */
export const repliesOf = (sql: SqlClient.SqlClient, turn: string) => {
  const [from, to] = [`${turn}-`, `${turn}.`]
  const own = sql.onDialectOrElse({
    pg: () => sql`starts_with(id, ${from})`,
    orElse: () => sql`id >= ${from} AND id < ${to}`
  })
  return sql<DeliveryRow>`${deliveries(sql)} WHERE ${own} ORDER BY seq LIMIT ${most}`
}

/** A delivery by its id, or those of a turn whose entry is gone. */
export const deliveriesOf = (sql: SqlClient.SqlClient, id: string) =>
  turnIn(id) === id ? repliesOf(sql, id) : sql<DeliveryRow>`${deliveries(sql)} WHERE id = ${id}`

/** What was sent under this id of the platform's, and what answered a message of it: an answer is kept longer. */
export const deliveriesNear = (sql: SqlClient.SqlClient, id: string) =>
  sql<DeliveryRow>`${deliveries(sql)} WHERE message_id = ${id} OR reply_to = ${id} ORDER BY seq LIMIT ${most}`
