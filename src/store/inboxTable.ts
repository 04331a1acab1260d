/** The inbox in SQL: bodies of transactions and queries, for `InboxStore` and for what a cron job's decision leads to. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { MessageArrived } from "../domain/Inbound.ts"
import { addressOf, Inbound } from "../domain/Inbound.ts"
import type { Outbound } from "../domain/Outbound.ts"
import { SessionKey } from "../domain/Session.ts"
import { TurnId } from "../domain/Turn.ts"
import { insertMessage } from "./outboxTable.ts"
import { decoder, pruneStep } from "./rows.ts"
import { endRun } from "./runTable.ts"

/** An event to keep; `turn` is given here, so that every attempt of its turn carries the same one. */
export interface NewEntry<E extends Inbound = Inbound> {
  readonly event: E
  readonly session: SessionKey
  readonly turn: TurnId
  readonly receivedAt: number
}

export interface InboxEntry extends NewEntry {
  /** Order of acceptance; grows over the whole inbox. */
  readonly seq: number
  /** How often its turn was begun, this time among them. */
  readonly attempts: number
}

export interface Refused {
  readonly platform: PlatformId
  readonly eventId: string
  readonly messageId?: string
  readonly reason: string
  readonly at: number
}

/** How a turn ended, and what it says. */
export interface TurnEnd {
  readonly seq: number
  readonly outcome: "ok" | "failed"
  /** The cause of a failure, for the operator. */
  readonly error: string | null
  readonly replies: ReadonlyArray<Outbound>
  readonly endedAt: number
}

/** What tells a message from every other: a prompt has none of it, its run is decided once. */
const identityOf = (
  event: Inbound
): Pick<MessageArrived, "revision"> & Record<"eventId" | "messageId", string | null> =>
  event._tag === "MessageArrived" ? event : { eventId: null, messageId: null, revision: 0 }

const runOf = (event: Inbound): Record<"job", string | null> & Record<"scheduledAt", number | null> =>
  event._tag === "PromptDue" ? event : { job: null, scheduledAt: null }

/** One insert keeps the event and tells whether it was new. */
export const insertEntry = (sql: SqlClient.SqlClient, entry: NewEntry): Effect.Effect<boolean, SqlError.SqlError> => {
  const { event, receivedAt, session, turn } = entry
  const { chat, platform, thread } = addressOf(event)
  const { eventId, messageId, revision } = identityOf(event)
  const { job, scheduledAt } = runOf(event)
  // An event's encoded form is itself: strings, numbers, booleans, null, and arrays and records of them.
  const json = JSON.stringify(event)
  return Effect.map(
    sql`INSERT INTO inbox
        (platform, event_id, chat, thread, message_id, revision, session, turn, event, job, scheduled_at, received_at)
      VALUES (${platform}, ${eventId}, ${chat}, ${thread}, ${messageId}, ${revision},
        ${session}, ${turn}, ${json}, ${job}, ${scheduledAt}, ${receivedAt})
      ON CONFLICT DO NOTHING RETURNING seq`,
    (rows) => rows.length > 0
  )
}

/** For whoever asks what became of a message: that it came again, too. */
const countCopy = (sql: SqlClient.SqlClient, { chat, eventId, messageId, platform, revision }: MessageArrived) =>
  sql`UPDATE inbox SET copies = copies + 1 WHERE (platform = ${platform} AND event_id = ${eventId})
    OR (platform = ${platform} AND chat = ${chat.id} AND message_id = ${messageId} AND revision = ${revision})`

/** Keeps the events in order, and where the platform's stream stands with them. */
export const accept = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  entries: ReadonlyArray<NewEntry<MessageArrived>>,
  resume: { readonly platform: PlatformId; readonly token: string } | undefined
) {
  const fresh: Array<boolean> = []
  for (const entry of entries) {
    const isNew = yield* insertEntry(sql, entry)
    if (!isNew) yield* countCopy(sql, entry.event)
    fresh.push(isNew)
  }
  if (resume !== undefined) {
    yield* sql`INSERT INTO resumes (platform, token) VALUES (${resume.platform}, ${resume.token})
      ON CONFLICT (platform) DO UPDATE SET token = excluded.token`
  }
  return fresh
})

const refusedKept = 10_000

/** Keeps the refusals, and of all of them the newest. */
export const refuse = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, refused: ReadonlyArray<Refused>) {
  for (const { platform, eventId, messageId = null, reason, at } of refused) {
    yield* sql`INSERT INTO refused (platform, event_id, message_id, reason, at)
      VALUES (${platform}, ${eventId}, ${messageId}, ${reason}, ${at})`
  }
  yield* sql`DELETE FROM refused WHERE seq <= (SELECT MAX(seq) FROM refused) - ${refusedKept}`
})

const EntryRow = Schema.Struct({
  seq: Schema.Int,
  session: SessionKey,
  turn: TurnId,
  event: Schema.fromJsonString(Inbound),
  attempts: Schema.Int,
  receivedAt: Schema.Int
})

const decodeRow = decoder("inbox", EntryRow)

/** Reads an entry back. */
export const decodeEntry = (row: { readonly seq: number }): Effect.Effect<InboxEntry, StoreError> =>
  decodeRow(row, row.seq)

/** A row of which no more is known than whose it is. */
export interface Numbered {
  readonly seq: number
  readonly session: SessionKey
}

/** Begins the oldest entry of a session whose turn has not ended: counts the attempt and returns the entry as it is stored. */
export const take = (sql: SqlClient.SqlClient, session: SessionKey, at: number) =>
  sql<Numbered>`UPDATE inbox SET attempts = attempts + 1, begun_at = ${at}
    WHERE seq = (SELECT seq FROM inbox WHERE session = ${session} AND ended_at IS NULL ORDER BY seq LIMIT 1)
    RETURNING seq, session, turn, event, attempts, received_at AS "receivedAt"`

/** The sessions that have such entries, oldest first. */
export const waiting = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ session: SessionKey }>`SELECT session FROM inbox WHERE ended_at IS NULL GROUP BY session ORDER BY MIN(seq)`,
    (rows) => rows.map((row) => row.session)
  )

/** What the newest entries say of a session. */
export interface SessionRow {
  readonly session: SessionKey
  /** Entries whose turn has not ended. */
  readonly waiting: number
  readonly lastReceivedAt: number
  /** Null while its turn has not ended. */
  readonly lastOutcome: "ok" | "failed" | null
}

/** Entries that are looked at to tell which sessions there were lately. */
const lately = 5_000

/** The sessions that spoke lately or wait, the newest first. */
export const sessions = (sql: SqlClient.SqlClient, limit: number) =>
  sql<SessionRow>`SELECT entry.session, entry.received_at AS "lastReceivedAt", entry.outcome AS "lastOutcome",
      (SELECT COUNT(*) FROM inbox AS waiting WHERE waiting.session = entry.session AND waiting.ended_at IS NULL) AS waiting
    FROM inbox AS entry WHERE entry.seq IN (SELECT MAX(seq) FROM (
        SELECT session, seq FROM (SELECT session, seq FROM inbox ORDER BY seq DESC LIMIT ${lately}) AS newest
        UNION ALL SELECT session, seq FROM inbox WHERE ended_at IS NULL) AS known
      GROUP BY session)
    ORDER BY entry.seq DESC LIMIT ${limit}`

/** Ends what waits in a session and was not begun, by hand; returns how many. */
export const clear = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, session: SessionKey, at: number) {
  const reason = "the session was reset"
  const rows = yield* sql<{ job: string | null; scheduledAt: number | null }>`
    UPDATE inbox SET ended_at = ${at}, outcome = 'failed', error = ${reason}
    WHERE session = ${session} AND ended_at IS NULL AND begun_at IS NULL RETURNING job, scheduled_at AS "scheduledAt"`
  for (const { job, scheduledAt } of rows) {
    if (job === null || scheduledAt === null) continue
    yield* endRun(sql, { job, scheduledAt }, { outcome: "failed", error: reason, endedAt: at })
  }
  return rows.length
})

/** Entries whose turn has not ended, by platform. Grouped by an expression: the column's own index would walk all of the past. */
export const unprocessed = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ platform: PlatformId; entries: number }>`SELECT platform || '' AS platform, COUNT(*) AS entries FROM inbox
      WHERE ended_at IS NULL GROUP BY 1`,
    (rows): ReadonlyMap<PlatformId, number> => new Map(rows.map((row) => [row.platform, row.entries]))
  )

/** `end`, and `take` where the session goes on at once. */
export const finish = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  ending: TurnEnd,
  goesOn: SessionKey | null
) {
  yield* end(sql, ending)
  return goesOn === null ? [] : yield* take(sql, goesOn, ending.endedAt)
})

/** Ends the entry and its run, and posts its replies; nothing of it where the entry has ended before. */
const end = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, end: TurnEnd) {
  const [ended] = yield* sql<{ job: string | null; scheduledAt: number | null }>`
    UPDATE inbox SET ended_at = ${end.endedAt}, outcome = ${end.outcome}, error = ${end.error}
    WHERE seq = ${end.seq} AND ended_at IS NULL RETURNING job, scheduled_at AS "scheduledAt"`
  if (ended === undefined) return
  const { job, scheduledAt } = ended
  const run = job === null || scheduledAt === null ? null : { job, scheduledAt }
  for (const reply of end.replies) yield* insertMessage(sql, reply, { at: end.endedAt, run })
  if (run !== null) yield* endRun(sql, run, end)
})

const day = 86_400_000

/** One step: ended entries, whose keys tell duplicates for 48 h at least, and refusals of more than a day ago. */
export const prune = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, now: number, before: number) {
  const entries = yield* sql`DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox
    WHERE ended_at IS NOT NULL AND ended_at < ${Math.min(before, now - 2 * day)}
    ORDER BY ended_at LIMIT ${pruneStep}) RETURNING seq`
  const refusals = yield* sql`DELETE FROM refused WHERE seq IN (SELECT seq FROM refused
    WHERE at < ${now - day} ORDER BY seq LIMIT ${pruneStep}) RETURNING seq`
  return Math.max(entries.length, refusals.length) === pruneStep
})
