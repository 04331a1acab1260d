/** What a link leaves behind: its timeline, its resume token, and the settings that have connected before. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { LinkChange } from "../domain/LinkState.ts"
import { Database } from "./Database.ts"

export class LinkStore extends Context.Service<
  LinkStore,
  {
    /** The newest 1,000 of a platform are kept. */
    readonly record: (platform: PlatformId, change: LinkChange) => Effect.Effect<void, StoreError>
    /** Newest first. */
    readonly timeline: (platform: PlatformId, limit: number) => Effect.Effect<ReadonlyArray<LinkChange>, StoreError>
    readonly resume: (platform: PlatformId) => Effect.Effect<string | null, StoreError>
    /** Drops the resume token. */
    readonly forget: (platform: PlatformId) => Effect.Effect<void, StoreError>
    /** These settings have connected; the newest of a platform are remembered. */
    readonly proved: (platform: PlatformId, fingerprint: string) => Effect.Effect<void, StoreError>
    readonly wasProved: (platform: PlatformId, fingerprint: string) => Effect.Effect<boolean, StoreError>
  }
>()("evergate/store/LinkStore") {
  static readonly layer: Layer.Layer<LinkStore, never, Database> = Layer.effect(
    LinkStore,
    Effect.gen(function* () {
      const db = yield* Database
      const { sql } = db
      return LinkStore.of({
        record: (platform, change) => db.write("record", record(sql, platform, change)),
        timeline: (platform, limit) => db.read("timeline", timeline(sql, platform, limit)),
        resume: (platform) =>
          Effect.map(
            db.read("resume", sql<{ token: string }>`SELECT token FROM resumes WHERE platform = ${platform}`),
            ([row]) => row?.token ?? null
          ),
        forget: (platform) => Effect.asVoid(db.write("forget", sql`DELETE FROM resumes WHERE platform = ${platform}`)),
        proved: (platform, fingerprint) =>
          Effect.asVoid(
            db.write(
              "proved",
              sql`INSERT INTO proved (platform, fingerprint) VALUES (${platform}, ${fingerprint})
                ON CONFLICT (platform) DO UPDATE SET fingerprint = excluded.fingerprint`
            )
          ),
        wasProved: (platform, fingerprint) =>
          Effect.map(
            db.read(
              "wasProved",
              sql`SELECT platform FROM proved WHERE platform = ${platform} AND fingerprint = ${fingerprint}`
            ),
            (rows) => rows.length > 0
          )
      })
    })
  )
}

const kept = 1000

const record = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, platform: PlatformId, change: LinkChange) {
  yield* sql`INSERT INTO timeline (platform, at, state, kind, message, attempt, next_attempt_at)
    VALUES (${platform}, ${change.at}, ${change.state}, ${change.kind}, ${change.message}, ${change.attempt}, ${change.nextAttemptAt})`
  yield* sql`DELETE FROM timeline WHERE platform = ${platform} AND seq <= (
    SELECT seq FROM timeline WHERE platform = ${platform} ORDER BY seq DESC LIMIT 1 OFFSET ${kept})`
})

const timeline = (sql: SqlClient.SqlClient, platform: PlatformId, limit: number) =>
  sql<LinkChange>`SELECT at, state, kind, message, attempt, next_attempt_at AS "nextAttemptAt" FROM timeline
    WHERE platform = ${platform} ORDER BY seq DESC LIMIT ${limit}`
