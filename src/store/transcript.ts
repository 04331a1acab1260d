/** What was said in a chat, in both directions: the inbox and the outbox side by side. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Address } from "../domain/Address.ts"
import { MessageArrived } from "../domain/Inbound.ts"
import { decoder, readable } from "./rows.ts"

export interface TranscriptLine {
  readonly id: string
  readonly from: "sender" | "gateway"
  readonly text: string
  readonly at: number
}

const decodeHeard = decoder(
  "inbox",
  Schema.Struct({ event: Schema.fromJsonString(MessageArrived), receivedAt: Schema.Int })
)

/** Of a thread only, where the address names one. */
const within = (sql: SqlClient.SqlClient, { chat, platform, thread }: Address) =>
  thread === null
    ? sql`platform = ${platform} AND chat = ${chat}`
    : sql`platform = ${platform} AND chat = ${chat} AND thread = ${thread}`

const heard = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, address: Address, limit: number) {
  const rows = yield* sql<{ seq: number }>`SELECT seq, event, received_at AS "receivedAt" FROM inbox
    WHERE seq IN (SELECT seq FROM inbox WHERE ${within(sql, address)} AND message_id IS NOT NULL
      ORDER BY +seq DESC LIMIT ${limit})
    ORDER BY seq DESC`
  const entries = yield* readable(rows.map((row) => decodeHeard(row, row.seq)))
  return entries.map(({ event, receivedAt }): TranscriptLine => ({
    id: event.messageId,
    from: "sender",
    text: event.text,
    at: receivedAt
  }))
})

const said = (sql: SqlClient.SqlClient, address: Address, limit: number) =>
  Effect.map(
    sql<{ id: string; text: string; at: number }>`SELECT id, text, ended_at AS at FROM outbox
      WHERE ${within(sql, address)} AND state = 'delivered' ORDER BY ended_at DESC LIMIT ${limit}`,
    (rows) => rows.map((row): TranscriptLine => ({ ...row, from: "gateway" }))
  )

/** The newest lines of a chat, oldest first; what is said counts from when it was delivered. */
export const transcript = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, address: Address, limit: number) {
  // Newest first, as both come; where two fall on one instant, the answer is the newer.
  const lines = [...(yield* said(sql, address, limit)), ...(yield* heard(sql, address, limit))]
  return lines
    .toSorted((a, b) => b.at - a.at)
    .slice(0, limit)
    .toReversed()
})
