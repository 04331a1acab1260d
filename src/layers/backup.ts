/**
 * A consistent copy of the database while others write to it: SQLite reads one state of it from beginning to end and keeps
 * no writer waiting. What is copied is read through and on the disk before it gets its name, and no file is overwritten.
 */
import { Effect, Predicate, Schema } from "effect"
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { StoreError } from "../domain/Errors.ts"
import * as File from "./sqliteFile.ts"

/** There is no copy. What was begun of it is gone. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", {
  file: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `no backup was written to ${this.file}: ${this.detail}`
  }
}

export interface Backup {
  readonly file: string
  readonly bytes: number
}

/** A reader waits only for a gateway that begins or ends. */
const busyMillis = 5_000

/** Copies the database at `source` into a new file of mode 0600. */
export const backup = Effect.fnUntraced(function* (
  source: string,
  target: string
): Effect.fn.Return<Backup, BackupFailed | StoreError> {
  const file = resolve(target)
  const found = yield* File.examine(source)
  if (found === null) return yield* File.unusable(source, "there is no database; has the gateway run in this home?")
  const draft = `${file}.${process.pid}.new`
  return yield* Effect.acquireUseRelease(
    attempt(file, () => reserve(file)),
    () =>
      Effect.andThen(
        attempt(file, () => copy(source, draft)),
        attempt(file, () => publish(draft, file))
      ),
    // An empty file in that place would be taken for a backup.
    (_, exit) => Effect.sync(() => [draft, ...(exit._tag === "Success" ? [] : [file])].forEach(remove))
  )
})

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, BackupFailed> =>
  Effect.try({ try: run, catch: (cause) => new BackupFailed({ file, detail: detailOf(cause) }) })

const detailOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && cause.code === "EEXIST"
    ? "it is there already, and is not overwritten"
    : Predicate.isError(cause)
      ? cause.message
      : String(cause)

/** Fails where there is a file already, whoever else asks at the same moment. */
const reserve = (file: string): void => closeSync(openSync(file, "wx", 0o600))

const copy = (source: string, draft: string): void => {
  reserve(draft)
  using db = new DatabaseSync(source, { timeout: busyMillis })
  db.prepare("VACUUM INTO ?").run(draft)
}

/** Read through, brought to the disk, and only then put in its place. */
const publish = (draft: string, file: string): Backup => {
  verify(draft)
  sync(draft)
  renameSync(draft, file)
  sync(dirname(file))
  return { file, bytes: statSync(file).size }
}

const verify = (file: string): void => {
  using db = new DatabaseSync(file, { readOnly: true })
  const verdict = db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]
  if (verdict !== "ok") throw new Error(`the copy is corrupt (${String(verdict)}); check the database and the disk`)
}

const sync = (path: string): void => {
  const descriptor = openSync(path, "r")
  fsyncSync(descriptor)
  closeSync(descriptor)
}

const remove = (path: string): void => rmSync(path, { force: true })
