import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Sqlite from "../../src/layers/Sqlite.ts"
import { runProgram } from "../processes.ts"

const opener = new URL("./opener.ts", import.meta.url)

/** Root may write everything, so under root the database is opened by nobody. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

const open = (filename: string) =>
  Effect.map(runProgram(opener, [filename], isRoot ? { uid: nobody } : {}), ({ err, out }) => {
    expect(err).toBe("")
    return JSON.parse(out) as unknown
  })

/** A database in a folder, both of the user that will open them. */
const database = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
    (path) => Effect.sync(() => (chmodSync(path, 0o700), rmSync(path, { recursive: true })))
  )
  const filename = join(folder, "evergate.db")
  yield* Effect.scoped(Layer.build(Sqlite.layer({ filename })))
  if (isRoot) [folder, filename].forEach((path) => chownSync(path, nobody, nobody))
  return { folder, filename }
})

describe("Sqlite, as a user with fewer rights", () => {
  it.live("a file that may only be read is refused, named and not changed", () =>
    Effect.gen(function* () {
      const { filename } = yield* database
      const writable = yield* open(filename)
      chmodSync(filename, 0o400)
      const before = readFileSync(filename)

      const outcome = yield* open(filename)

      expect(writable).toBe("open")
      expect(outcome).toEqual({
        unusable: true,
        detail: expect.stringContaining(`${filename}: cannot be read and written; check its owner and mode`)
      })
      expect(readFileSync(filename).equals(before)).toBe(true)
    }).pipe(Effect.scoped)
  )

  it.live("a file in a folder that may not be written is refused", () =>
    Effect.gen(function* () {
      const { filename, folder } = yield* database
      chmodSync(folder, 0o500)

      const outcome = yield* open(filename)

      expect(outcome).toEqual({ unusable: true, detail: expect.stringContaining(filename) })
    }).pipe(Effect.scoped)
  )
})
