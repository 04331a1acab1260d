/**
 * What a database file shows before anything opens it for writing: an unreadable, cut or foreign file is named and left
 * exactly as it is, and is never taken for a new, empty database.
 */
import { Effect } from "effect"
import { closeSync, constants, accessSync, openSync, readSync, statSync } from "node:fs"
import { StoreError } from "../domain/Errors.ts"

/** The store cannot be used as long as the file is as it is. */
export const unusable = (file: string, what: string, cause?: unknown): StoreError =>
  new StoreError({
    operation: "open",
    detail: `${file}: ${what}`,
    unusable: true,
    ...(cause === undefined ? {} : { cause })
  })

/** Marks a database as evergate's, in SQLite's field for that: "EVGT". */
export const applicationId = 0x45564754

const headerBytes = 100
const magic = "SQLite format 3\u0000"

const readHeader = (file: string): Buffer => {
  const header = Buffer.alloc(headerBytes)
  const descriptor = openSync(file, "r")
  const length = readSync(descriptor, header, 0, headerBytes, 0)
  closeSync(descriptor)
  return header.subarray(0, length)
}

/** The bytes that the header promises; 0 where it promises none (its counters differ, so an old writer left the field stale). */
const promisedBytes = (header: Buffer): number => {
  const pageSize = header.readUInt16BE(16)
  const current = header.readUInt32BE(24) === header.readUInt32BE(92)
  return current ? (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28) : 0
}

/** What is wrong with the file; null when nothing shows. A crash in the middle of a checkpoint leaves a short file beside a log that heals it. */
const faultOf = (header: Buffer, bytes: number, logBytes: number): string | null => {
  if (bytes === 0) return "the file is empty: it was cut; restore it from a backup"
  if (header.length < headerBytes || header.toString("latin1", 0, 16) !== magic) {
    return "the file is not a database; restore it from a backup"
  }
  if (header.readUInt32BE(68) !== applicationId) return "the file is a database, but not one of evergate's"
  const promised = promisedBytes(header)
  return logBytes === 0 && bytes < promised
    ? `the file is cut short (${bytes} of ${promised} bytes); restore it from a backup`
    : null
}

/** What a look at the file found. `logBytes` is what its write-ahead log holds. */
export interface Found {
  readonly bytes: number
  readonly logBytes: number
}

/** Looks at the file and its log without changing either; null when there is none. */
export const examine = (file: string): Effect.Effect<Found | null, StoreError> =>
  Effect.try({
    try: () => {
      const stat = statSync(file, { throwIfNoEntry: false })
      const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
      if (stat === undefined) {
        return logBytes === 0
          ? null
          : unusable(file, "the file is gone, but its write-ahead log is there; restore both")
      }
      if (!stat.isFile()) return unusable(file, "not a file")
      accessSync(file, constants.R_OK | constants.W_OK)
      const fault = faultOf(readHeader(file), stat.size, logBytes)
      return fault === null ? { bytes: stat.size, logBytes } : unusable(file, fault)
    },
    catch: (cause) => unusable(file, `cannot be read and written; check its owner and mode (${String(cause)})`, cause)
  }).pipe(Effect.flatMap((found) => (found instanceof StoreError ? Effect.fail(found) : Effect.succeed(found))))
