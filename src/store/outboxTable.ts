/** The outbox in SQL: bodies of transactions and queries, for `OutboxStore` and for whatever leaves messages behind. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PlatformId } from "../domain/Address.ts"
import { Address } from "../domain/Address.ts"
import type { Outbound } from "../domain/Outbound.ts"
import { DeliveryId } from "../domain/Outbound.ts"
import { decoder, pruneStep } from "./rows.ts"
import type { RunKey } from "./runTable.ts"
import { settleRun } from "./runTable.ts"

export type DeliveryState = "pending" | "delivered" | "dead"

export interface Delivery extends Outbound {
  /** Order within everything that was ever posted. */
  readonly seq: number
  readonly state: DeliveryState
  /** How many tries ended. */
  readonly attempts: number
  readonly createdAt: number
  /** Not tried before this. */
  readonly notBefore: number
  /** When a try first ended without an answer; null when none did. */
  readonly unknownAt: number | null
  /** It was sent once more after an answer got lost, without a key that would tell the two apart. */
  readonly unknown: boolean
  readonly deliveredAt: number | null
  readonly messageId: string | null
  readonly lastError: string | null
}

/** What is written down after a try that did not end the matter. */
export interface Postponed {
  readonly seq: number
  readonly notBefore: number
  readonly error: string
  readonly unknownAt: number | null
  readonly unknown: boolean
}

/** Writes a message down; nothing happens where its id is known. */
export const insertMessage = (
  sql: SqlClient.SqlClient,
  message: Outbound,
  options: { readonly at: number; readonly run?: RunKey | null; readonly idempotencyKey?: string | null }
): Effect.Effect<unknown, SqlError.SqlError> => {
  const { platform, chat, thread } = message.address
  const { at, idempotencyKey = null, run = null } = options
  return sql`INSERT INTO outbox (id, idempotency_key, platform, chat, thread, text, reply_to, job, scheduled_at, created_at, not_before)
    VALUES (${message.id}, ${idempotencyKey}, ${platform}, ${chat}, ${thread}, ${message.text}, ${message.replyTo}, ${run?.job ?? null}, ${run?.scheduledAt ?? null}, ${at}, ${at})
    ON CONFLICT (id) DO NOTHING`
}

/** Posts a message; the id of an earlier one with the same key comes back in its place. */
export const post = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  message: Outbound,
  idempotencyKey: string | null,
  at: number
) {
  if (idempotencyKey !== null) {
    const [known] = yield* sql<{ id: DeliveryId }>`SELECT id FROM outbox WHERE idempotency_key = ${idempotencyKey}`
    if (known !== undefined) return known.id
  }
  yield* insertMessage(sql, message, { at, idempotencyKey })
  return message.id
})

const tally = (sql: SqlClient.SqlClient, state: DeliveryState, by: number) =>
  sql`UPDATE outbox_tally SET messages = messages + ${by} WHERE state = ${state}`

/** How a message ended. A delivery ends a try, a burial does not: the last try has been counted, or there was none. */
export type DeliveryEnd =
  | { readonly state: "delivered"; readonly messageId: string | null; readonly at: number }
  | { readonly state: "dead"; readonly reason: string; readonly at: number }

/** Takes a message out of its lane, and tells the run that it belongs to. */
export const end = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, seq: number, how: DeliveryEnd) {
  const change =
    how.state === "delivered"
      ? sql`message_id = ${how.messageId}, attempts = attempts + 1`
      : sql`last_error = ${how.reason}`
  const [row] = yield* sql<{ job: string | null; scheduledAt: number | null }>`
    UPDATE outbox SET state = ${how.state}, ended_at = ${how.at}, ${change}
    WHERE seq = ${seq} AND state = 'pending' RETURNING job, scheduled_at AS "scheduledAt"`
  if (row === undefined) return
  yield* tally(sql, how.state, 1)
  yield* settled(sql, row)
})

/** The run that a message belongs to hears what became of it. */
const settled = (sql: SqlClient.SqlClient, { job, scheduledAt }: { job: string | null; scheduledAt: number | null }) =>
  job === null || scheduledAt === null ? Effect.void : settleRun(sql, { job, scheduledAt })

/** Where a message goes. */
export interface Lane {
  readonly platform: PlatformId
  readonly chat: string
}

/**
 * Gives a message another life by hand: it is tried at once, and its time to expire begins anew. Its lane; none where there is
 * no such message, or where it is delivered.
 */
export const revive = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: DeliveryId, at: number) {
  const [was] = yield* sql<{ state: DeliveryState }>`SELECT state FROM outbox WHERE id = ${id}`
  const [row] = yield* sql<Lane & { job: string | null; scheduledAt: number | null }>`
    UPDATE outbox SET state = 'pending', ended_at = NULL, created_at = ${at}, not_before = ${at}
    WHERE id = ${id} AND state <> 'delivered' RETURNING platform, chat, job, scheduled_at AS "scheduledAt"`
  if (row === undefined) return null
  if (was?.state === "dead") yield* tally(sql, "dead", -1)
  yield* settled(sql, row)
  return { platform: row.platform, chat: row.chat }
})

/** Takes a message that was not delivered out of the outbox for good, by hand. Its lane; none where there is no such message. */
export const drop = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: DeliveryId, at: number) {
  const [row] = yield* sql<Lane & { seq: number; state: DeliveryState }>`
    SELECT seq, state, platform, chat FROM outbox WHERE id = ${id} AND state <> 'delivered'`
  if (row === undefined) return null
  // Its run hears that it was not delivered before the row is gone.
  if (row.state === "pending") yield* end(sql, row.seq, { state: "dead", reason: "dropped by hand", at })
  yield* sql`DELETE FROM outbox WHERE seq = ${row.seq}`
  yield* tally(sql, "dead", -1)
  return { platform: row.platform, chat: row.chat }
})

/** Counts a try that did not end the matter, and keeps when the next may come. */
export const postpone = (sql: SqlClient.SqlClient, postponed: Postponed) =>
  sql`UPDATE outbox SET attempts = attempts + 1, not_before = ${postponed.notBefore}, last_error = ${postponed.error},
    unknown_at = ${postponed.unknownAt}, unknown = ${postponed.unknown ? 1 : 0}
    WHERE seq = ${postponed.seq} AND state = 'pending'`

const DeliveryRow = Schema.Struct({
  seq: Schema.Int,
  id: DeliveryId,
  ...Address.fields,
  text: Schema.String,
  replyTo: Schema.NullOr(Schema.String),
  state: Schema.Literals(["pending", "delivered", "dead"]),
  attempts: Schema.Int,
  createdAt: Schema.Int,
  notBefore: Schema.Int,
  unknownAt: Schema.NullOr(Schema.Int),
  unknown: Schema.Int,
  deliveredAt: Schema.NullOr(Schema.Int),
  messageId: Schema.NullOr(Schema.String),
  lastError: Schema.NullOr(Schema.String)
})

/** The columns that `decodeDelivery` reads. */
const columns = (sql: SqlClient.SqlClient) =>
  sql.literal(`seq, id, platform, chat, thread, text, reply_to AS "replyTo", state, attempts,
  created_at AS "createdAt", not_before AS "notBefore", unknown_at AS "unknownAt", unknown,
  CASE WHEN state = 'delivered' THEN ended_at END AS "deliveredAt", message_id AS "messageId", last_error AS "lastError"`)

const decodeRow = decoder("outbox", DeliveryRow)

/** Reads a message back. */
export const decodeDelivery = (row: { readonly seq: number }) =>
  Effect.map(decodeRow(row, row.seq), ({ platform, chat, thread, unknown, ...rest }): Delivery => ({
    ...rest,
    address: { platform, chat, thread },
    unknown: unknown !== 0
  }))

/** A row of which no more is known than its place. */
export interface Numbered {
  readonly seq: number
}

/** The oldest pending message of a chat, as it is stored. */
export const oldestPending = (sql: SqlClient.SqlClient, platform: PlatformId, chat: string) =>
  sql<Numbered>`SELECT ${columns(sql)} FROM outbox
    WHERE platform = ${platform} AND chat = ${chat} AND state = 'pending' ORDER BY seq LIMIT 1`

/** The chats that have pending messages, oldest first. */
export const lanes = (sql: SqlClient.SqlClient, platform: PlatformId) =>
  Effect.map(
    sql<{ chat: string }>`SELECT chat FROM outbox WHERE platform = ${platform} AND state = 'pending'
      GROUP BY chat ORDER BY MIN(seq)`,
    (rows) => rows.map((row) => row.chat)
  )

/** The oldest pending messages of platforms that are not among the served ones, posted before `before`. */
export const unserved = (sql: SqlClient.SqlClient, served: ReadonlyArray<PlatformId>, before: number) =>
  Effect.map(
    sql<{ seq: number; platform: PlatformId }>`SELECT seq, platform FROM outbox
      WHERE state = 'pending' AND created_at < ${before}
      ${served.length === 0 ? sql.literal("") : sql`AND NOT ${sql.in("platform", served)}`} ORDER BY seq LIMIT ${pruneStep}`,
    (rows) => rows.map(({ seq, platform }) => ({ seq, platform }))
  )

export const byId = (sql: SqlClient.SqlClient, id: DeliveryId) =>
  sql<Numbered>`SELECT ${columns(sql)} FROM outbox WHERE id = ${id}`

/** The newest in a state, newest first. */
export const newest = (sql: SqlClient.SqlClient, state: DeliveryState, limit: number) => {
  switch (state) {
    case "pending":
      // By the sign, the few that wait are sorted; without it everything that was ever said is walked for them.
      return sql<Numbered>`SELECT ${columns(sql)} FROM outbox WHERE state = 'pending' ORDER BY +seq DESC LIMIT ${limit}`
    case "dead":
      return sql<Numbered>`SELECT ${columns(sql)} FROM outbox WHERE state = 'dead' ORDER BY seq DESC LIMIT ${limit}`
    case "delivered":
      return sql<Numbered>`SELECT ${columns(sql)} FROM outbox WHERE state = 'delivered' ORDER BY seq DESC LIMIT ${limit}`
  }
}

/** Pending by platform, and the tally of what ended. */
export const counts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const pending = yield* sql<{ platform: PlatformId; messages: number }>`SELECT platform, COUNT(*) AS messages
    FROM outbox WHERE state = 'pending' GROUP BY platform`
  const ended = yield* sql<{ state: string; messages: number }>`SELECT state, messages FROM outbox_tally`
  const of = (state: DeliveryState) => ended.find((row) => row.state === state)?.messages ?? 0
  const byPlatform: ReadonlyMap<PlatformId, number> = new Map(pending.map((row) => [row.platform, row.messages]))
  return { pending: byPlatform, delivered: of("delivered"), dead: of("dead") }
})

/** One step: what ended longest ago. */
export const prune = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, before: number) {
  const pruned = yield* sql<{ state: DeliveryState }>`DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox
    WHERE ended_at IS NOT NULL AND ended_at < ${before} ORDER BY ended_at LIMIT ${pruneStep}) RETURNING state`
  const dead = pruned.filter((row) => row.state === "dead").length
  if (dead > 0) yield* tally(sql, "dead", -dead)
  if (pruned.length > dead) yield* tally(sql, "delivered", dead - pruned.length)
  return pruned.length === pruneStep
})
