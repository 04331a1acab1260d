/** The files of a log: bounded, kept in order, and read on by whoever else writes to them. */
import { assert, describe, it } from "@effect/vitest"
import { closeSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LogFiles from "../../src/layers/logFiles.ts"

const inFolder = (use: (folder: string) => void) => () => {
  const folder = mkdtempSync(join(tmpdir(), "evergate-log-"))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the files of a log", () => {
  it(
    "F225: are begun again when they are full, and so many are kept",
    inFolder((folder) => {
      const path = join(folder, "logs", "gateway.log")
      const log = LogFiles.make(path, { mostBytes: 20, kept: 2 })
      for (const line of ["one", "two", "three", "four", "five"]) log.write(`${line} ${".".repeat(20)}\n`)

      assert.deepStrictEqual(readdirSync(join(folder, "logs")).toSorted(), [
        "gateway.log",
        "gateway.log.1",
        "gateway.log.2"
      ])
      assert.match(readFileSync(path, "utf8"), /^five/)
      assert.match(readFileSync(`${path}.1`, "utf8"), /^four/)
      assert.match(readFileSync(`${path}.2`, "utf8"), /^three/)
    })
  )

  it(
    "that cannot be copied aside go on, and the older ones stay",
    inFolder((folder) => {
      const path = join(folder, "gateway.log")
      const log = LogFiles.make(path, { mostBytes: 10, kept: 1 })
      log.write("older, and full\n")
      log.write("newer, and full\n")
      mkdirSync(`${path}.0`)

      const written = log.write("the next\n")

      assert.isTrue(written)
      assert.strictEqual(readFileSync(`${path}.1`, "utf8"), "older, and full\n")
      assert.strictEqual(readFileSync(path, "utf8"), "newer, and full\nthe next\n")
      assert.deepStrictEqual(readdirSync(folder).toSorted(), ["gateway.log", "gateway.log.1"])
    })
  )

  it(
    "are for their owner alone, and what a crash writes lands in the one that is read",
    inFolder((folder) => {
      const path = join(folder, "gateway.log")
      const crash = LogFiles.open(path)
      const log = LogFiles.make(path, { mostBytes: 10, kept: 1 })
      log.write("a line that fills it\n")
      log.write("the next\n")
      writeSync(crash, "a stack\n")
      closeSync(crash)

      assert.strictEqual(readFileSync(path, "utf8"), "the next\na stack\n")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    })
  )
})
