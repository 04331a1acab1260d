/** The second version's columns: by them a trace finds a refused message by its own id, and tells how often one came. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const traceColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE refused ADD COLUMN message_id TEXT`
  yield* sql`ALTER TABLE inbox ADD COLUMN copies BIGINT NOT NULL DEFAULT 0`
})
