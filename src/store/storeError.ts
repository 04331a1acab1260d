/** How a database's own failures become `StoreError`s: what happened, and what an operator does about it. */
import { Predicate, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { StoreError } from "../domain/Errors.ts"

interface Trouble {
  readonly what: string
  /** It will not pass by itself. */
  readonly unusable: boolean
}

/** SQLite's primary result codes that are about the machine and the file, not about the statement. */
const troubles: ReadonlyMap<number, Trouble> = new Map([
  [5, { what: "locked by another process; stop what else has the database open", unusable: false }],
  [6, { what: "locked by another process; stop what else has the database open", unusable: false }],
  [7, { what: "out of memory", unusable: false }],
  [8, { what: "read-only; make the database file and its folder writable", unusable: false }],
  [10, { what: "the disk failed to read or write; check the disk and its mount", unusable: false }],
  [11, { what: "the database is corrupt; restore it from a backup", unusable: true }],
  [13, { what: "the disk is full; free some space", unusable: false }],
  [14, { what: "the database cannot be opened; check that its folder exists and is writable", unusable: false }],
  [26, { what: "the file is not a database; restore it from a backup", unusable: true }]
])

const troubleOf = (error: SqlError.SqlError): Trouble | undefined => {
  const cause = error.reason.cause
  // The low byte is the primary code; the rest tells its variants apart.
  return Predicate.hasProperty(cause, "errno") && Predicate.isNumber(cause.errno)
    ? troubles.get(cause.errno & 0xff)
    : undefined
}

/** It is the database's or the machine's, so that everything in the same transaction is lost with it. */
export const isTrouble = (error: SqlError.SqlError): boolean => error.isRetryable || troubleOf(error) !== undefined

/** Another process holds the lock: it passes. */
export const isLocked = (error: SqlError.SqlError): boolean => error.reason._tag === "LockTimeoutError"

/** How long a lock is waited for: two seconds and a bit. */
export const patience = Schedule.max([Schedule.spaced("50 millis"), Schedule.recurs(25)])

/** Says what happened to an operation; `where` names the file when the failure is about one. */
export const fromSqlError = (operation: string, error: SqlError.SqlError, where?: string): StoreError => {
  const trouble = troubleOf(error)
  const what = trouble === undefined ? error.message : `${trouble.what} (${error.message})`
  return new StoreError({
    operation,
    detail: where === undefined ? what : `${where}: ${what}`,
    unusable: trouble?.unusable ?? false,
    cause: error
  })
}
