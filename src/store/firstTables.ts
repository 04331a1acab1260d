/** The tables of the first version. Times are Unix milliseconds; a row with `ended_at` is done with and waits to be pruned. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Partial indices answer what is asked all the time: what waits, and what may go. They stay small whatever the past holds.
 * Prompts of cron jobs have neither event id nor message id: `cron_runs` knows each of them once.
 */
const statements = (serial: string) => [
  `CREATE TABLE inbox (
    seq ${serial},
    platform TEXT NOT NULL,
    event_id TEXT,
    chat TEXT NOT NULL,
    thread TEXT,
    message_id TEXT,
    revision INTEGER NOT NULL,
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    event TEXT NOT NULL,
    job TEXT,
    scheduled_at BIGINT,
    received_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    begun_at BIGINT,
    ended_at BIGINT,
    outcome TEXT,
    error TEXT
  )`,
  `CREATE UNIQUE INDEX inbox_event ON inbox (platform, event_id)`,
  `CREATE UNIQUE INDEX inbox_message ON inbox (platform, chat, message_id, revision)`,
  `CREATE INDEX inbox_waiting ON inbox (session, seq, platform) WHERE ended_at IS NULL`,
  `CREATE INDEX inbox_ended ON inbox (ended_at) WHERE ended_at IS NOT NULL`,

  `CREATE TABLE refused (
    seq ${serial},
    platform TEXT NOT NULL,
    event_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    at BIGINT NOT NULL
  )`,

  `CREATE TABLE outbox (
    seq ${serial},
    id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT,
    platform TEXT NOT NULL,
    chat TEXT NOT NULL,
    thread TEXT,
    text TEXT NOT NULL,
    reply_to TEXT,
    job TEXT,
    scheduled_at BIGINT,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    not_before BIGINT NOT NULL,
    unknown_at BIGINT,
    unknown INTEGER NOT NULL DEFAULT 0,
    ended_at BIGINT,
    message_id TEXT,
    last_error TEXT
  )`,
  `CREATE UNIQUE INDEX outbox_key ON outbox (idempotency_key) WHERE idempotency_key IS NOT NULL`,
  `CREATE INDEX outbox_waiting ON outbox (platform, chat, seq) WHERE state = 'pending'`,
  `CREATE INDEX outbox_ended ON outbox (ended_at) WHERE ended_at IS NOT NULL`,
  `CREATE INDEX outbox_dead ON outbox (seq) WHERE state = 'dead'`,
  `CREATE INDEX outbox_chat ON outbox (platform, chat, ended_at) WHERE state = 'delivered'`,
  `CREATE INDEX outbox_run ON outbox (job, scheduled_at) WHERE job IS NOT NULL`,

  // How many are in a state: counting a million rows would hold up whoever wants to write.
  `CREATE TABLE outbox_tally (state TEXT PRIMARY KEY, messages BIGINT NOT NULL)`,
  `INSERT INTO outbox_tally (state, messages) VALUES ('delivered', 0), ('dead', 0)`,

  `CREATE TABLE cron_jobs (id TEXT PRIMARY KEY, source TEXT NOT NULL, job TEXT NOT NULL)`,
  `CREATE TABLE cron_runs (
    job TEXT NOT NULL,
    scheduled_at BIGINT NOT NULL,
    decided_at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    ended_at BIGINT,
    delivery TEXT NOT NULL,
    PRIMARY KEY (job, scheduled_at)
  )`,
  `CREATE INDEX cron_runs_running ON cron_runs (job) WHERE ended_at IS NULL`,
  `CREATE INDEX cron_runs_ended ON cron_runs (ended_at) WHERE ended_at IS NOT NULL`,

  `CREATE TABLE timeline (
    seq ${serial},
    platform TEXT NOT NULL,
    at BIGINT NOT NULL,
    state TEXT NOT NULL,
    kind TEXT,
    message TEXT,
    attempt INTEGER NOT NULL,
    next_attempt_at BIGINT
  )`,
  `CREATE INDEX timeline_platform ON timeline (platform, seq)`,
  `CREATE TABLE resumes (platform TEXT PRIMARY KEY, token TEXT NOT NULL)`,
  `CREATE TABLE proved (platform TEXT PRIMARY KEY, fingerprint TEXT NOT NULL)`
]

export const firstTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Numbers are never used again, also when the newest row is gone: order and identity hang on them.
  const serial = sql.onDialectOrElse({
    pg: () => "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    orElse: () => "INTEGER PRIMARY KEY AUTOINCREMENT"
  })
  for (const statement of statements(serial)) yield* sql.unsafe(statement)
})
