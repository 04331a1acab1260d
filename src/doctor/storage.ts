/** The database and the disk below it. */
import { Effect, Result } from "effect"
import type { Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import type { StoreView } from "./Machine.ts"
import { Machine } from "./Machine.ts"

const look = about(null)

const megabyte = 1024 * 1024
const diskFailBytes = 100 * megabyte
const diskWarnBytes = 1024 * megabyte

/** What the store says, and the lines about itself. Null where it could not be read. */
export const examineStore = (file: string, platforms: ReadonlyArray<string>, checkedBytes: number) =>
  Effect.gen(function* () {
    const { freeBytes, store } = yield* Machine
    const read = yield* Effect.result(store(file, platforms, checkedBytes))
    const disk = diskOf(file, yield* freeBytes(file))
    if (Result.isFailure(read)) {
      const { detail } = read.failure
      return { view: null, findings: [look.fail("store", detail, remedyOf(detail)), ...disk] }
    }
    return { view: read.success, findings: [storeOf(file, read.success), ...disk] }
  })

const remedyOf = (detail: string): string => {
  if (detail.includes("newer evergate")) return "update evergate, or restore the backup from before the update"
  if (detail.includes("owner and mode")) return "give the file to the user that runs evergate"
  return "evergate stop, then put a backup in its place (docs/operations.md, Backup and restore); evergate start"
}

const storeOf = (file: string, view: StoreView | null): Finding => {
  if (view === null) return look.ok("store", `${file} is not there yet: the first start makes it`)
  const size = `${file}, ${Math.ceil(view.bytes / megabyte)} MiB`
  if (view.kept === "older") {
    return look.warn(
      "store",
      `${size}: an older evergate wrote it`,
      "evergate backup FILE, then evergate start brings it up to date"
    )
  }
  return look.ok("store", `${size}: ${view.integrity}`)
}

const diskOf = (file: string, free: number | null): ReadonlyArray<Finding> => {
  if (free === null) return []
  const seen = `${Math.floor(free / megabyte)} MiB are free where ${file} is`
  const remedy = "free space there, or move home or store.url to a larger disk; shorten keep.messages and keep.history"
  if (free < diskFailBytes) return [look.fail("disk", seen, remedy)]
  return [free < diskWarnBytes ? look.warn("disk", seen, remedy) : look.ok("disk", seen)]
}
