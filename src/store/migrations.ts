/** Brings a database to this version's tables; one that a newer version wrote is refused before anything is written. */
import { Effect, Predicate } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { StoreError } from "../domain/Errors.ts"
import { firstTables } from "./firstTables.ts"
import { fromSqlError, isLocked, patience } from "./storeError.ts"
import { traceColumns } from "./traceColumns.ts"

const table = "evergate_migrations"

/** In order, and for ever: a migration that was released is not changed, a later one is appended. */
const migrations = { "0001_first_tables": firstTables, "0002_trace_columns": traceColumns }

/** The schema of this version. */
export const newest = Object.keys(migrations).length

/** The schema's version; 0 of a database that was never migrated. */
const version = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const found = yield* sql.onDialectOrElse({
      pg: () => sql<{ name: string | null }>`SELECT to_regclass(${table})::text AS name`,
      orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ${table}`
    })
    if (!found.some((row) => row.name !== null)) return 0
    const [row] = yield* sql<{ id: number | null }>`SELECT MAX(migration_id) AS id FROM ${sql(table)}`
    return Number(row?.id ?? 0)
  })

const run = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

const unusable = (url: string, detail: string, cause?: unknown): StoreError =>
  new StoreError({
    operation: "migrate",
    detail: `${url}: ${detail}`,
    unusable: true,
    ...(cause === undefined ? {} : { cause })
  })

/** Gives the schema's version, unless a newer evergate wrote it. Only reads. */
export const refuseNewer = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, url: string) {
  const found = yield* version(sql)
  if (found <= newest) return found
  return yield* unusable(
    url,
    `written by a newer evergate (schema ${found}, this one knows ${newest}); update evergate or restore a backup`
  )
})

export const migrate = (sql: SqlClient.SqlClient, url: string): Effect.Effect<void, StoreError> =>
  refuseNewer(sql, url).pipe(
    Effect.flatMap((found) => (found < newest ? Effect.provideService(run, SqlClient.SqlClient, sql) : Effect.void)),
    Effect.retry({ schedule: patience, while: (error) => SqlError.isSqlError(error) && isLocked(error) }),
    Effect.catchTags({
      SqlError: (error) => Effect.fail(fromSqlError("migrate", error, url)),
      MigrationError: (error) =>
        Effect.fail(
          unusable(url, `${error.message}: ${Predicate.isError(error.cause) ? error.cause.message : ""}`, error)
        )
    })
  )
