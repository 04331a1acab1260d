/** What the laws read of the store, past every service: SQL on the database itself. */
import type { DatabaseSync } from "node:sqlite"

export interface Entry {
  readonly seq: number
  readonly turn: string
  readonly platform: string
  readonly messageId: string | null
  readonly endedAt: number | null
  readonly outcome: string | null
}

export interface Letter {
  readonly seq: number
  readonly id: string
  readonly platform: string
  readonly chat: string
  readonly text: string
  readonly state: "pending" | "delivered" | "dead"
  readonly unknown: number
  readonly lastError: string | null
  readonly job: string | null
  readonly scheduledAt: number | null
}

export interface Rows {
  /** The event is kept, itself or as another copy of its message; or it was refused, and that is kept. */
  readonly knows: (event: {
    readonly platform: string
    readonly eventId: string
    readonly chat: string
    readonly messageId: string
  }) => boolean
  readonly letter: (id: string) => Letter | undefined
  /** How often a message is kept. */
  readonly copies: (platform: string, messageId: string) => number
  readonly entryOfTurn: (turn: string) => Entry | undefined
  readonly entriesAfter: (seq: number) => ReadonlyArray<Entry>
  readonly lettersAfter: (seq: number) => ReadonlyArray<Letter>
  readonly lettersOfTurn: (turn: string) => ReadonlyArray<Letter>
  /** What waits: entries and letters. */
  readonly waiting: () => { readonly entries: number; readonly letters: number }
  /** The occurrence has a row of its own. */
  readonly isDecided: (job: string, scheduledAt: number) => boolean
  /** Why later ones were skipped: such a row may stand for others before it. */
  readonly skipsAfter: (job: string, scheduledAt: number) => ReadonlyArray<string>
  /** What came of a job without a decision, or twice of one. */
  readonly unfounded: () => ReadonlyArray<string>
}

const entry = `SELECT seq, turn, platform, message_id AS messageId, ended_at AS endedAt, outcome FROM inbox`
const letter = `SELECT seq, id, platform, chat, text, state, unknown, last_error AS lastError, job,
  scheduled_at AS scheduledAt FROM outbox`

export const makeRows = (db: DatabaseSync): Rows => {
  /** Rows come as records of what their SELECT names, which is what `A` says. */
  const query = <A>(sql: string) => {
    const statement = db.prepare(sql)
    return (...values: ReadonlyArray<string | number>) =>
      statement.all(...values) as ReadonlyArray<unknown> as ReadonlyArray<A>
  }
  const known = query(`SELECT 1 FROM inbox WHERE platform = ?1 AND (event_id = ?2 OR (chat = ?3 AND message_id = ?4))
    UNION ALL SELECT 1 FROM refused WHERE platform = ?1 AND event_id = ?2 LIMIT 1`)
  const copies = query(`SELECT 1 FROM inbox WHERE platform = ? AND message_id = ?`)
  const entryOfTurn = query<Entry>(`${entry} WHERE turn = ?`)
  const entriesAfter = query<Entry>(`${entry} WHERE seq > ? ORDER BY seq`)
  const letterOf = query<Letter>(`${letter} WHERE id = ?`)
  const lettersAfter = query<Letter>(`${letter} WHERE seq > ? ORDER BY seq`)
  const lettersOfTurn = query<Letter>(`${letter} WHERE id >= ?1 || '-' AND id < ?1 || '.' ORDER BY seq`)
  const waiting = query<{ entries: number; letters: number }>(`SELECT
    (SELECT COUNT(*) FROM inbox WHERE ended_at IS NULL) AS entries,
    (SELECT COUNT(*) FROM outbox WHERE state = 'pending') AS letters`)
  const decided = query(`SELECT 1 FROM cron_runs WHERE job = ? AND scheduled_at = ?`)
  const skipsAfter = query<{ reason: string }>(`SELECT reason FROM cron_runs
    WHERE job = ? AND scheduled_at > ? AND outcome = 'skipped'`)
  const unfounded = query<{ what: string }>(`
    SELECT 'message ' || id AS what FROM outbox LEFT JOIN cron_runs USING (job, scheduled_at)
      WHERE job IS NOT NULL AND decided_at IS NULL
    UNION ALL SELECT 'turn ' || turn FROM inbox LEFT JOIN cron_runs USING (job, scheduled_at)
      WHERE job IS NOT NULL AND decided_at IS NULL
    UNION ALL SELECT 'turns of ' || job FROM inbox
      WHERE job IS NOT NULL GROUP BY job, scheduled_at HAVING COUNT(*) > 1`)

  return {
    knows: ({ platform, eventId, chat, messageId }) => known(platform, eventId, chat, messageId).length > 0,
    letter: (id) => letterOf(id)[0],
    copies: (platform, messageId) => copies(platform, messageId).length,
    entryOfTurn: (turn) => entryOfTurn(turn)[0],
    entriesAfter: (seq) => entriesAfter(seq),
    lettersAfter: (seq) => lettersAfter(seq),
    lettersOfTurn: (turn) => lettersOfTurn(turn),
    waiting: () => waiting()[0] ?? { entries: 0, letters: 0 },
    isDecided: (job, at) => decided(job, at).length > 0,
    skipsAfter: (job, at) => skipsAfter(job, at).map(({ reason }) => reason),
    unfounded: () => unfounded().map(({ what }) => what)
  }
}
