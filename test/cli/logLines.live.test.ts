/** A log as `evergate logs` reads it: its end, also across files, what comes, and what it says to a person. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { follow, lastOf, linesFrom, readable, troubleOf } from "../../src/cli/logLines.ts"
import * as LogFiles from "../../src/layers/logFiles.ts"
import { until } from "../service.ts"

const log = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "gateway.log")
)

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)
const textOf = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")

describe("the last lines", () => {
  it.live("are the newest, oldest first, and reach back over a rotation", () =>
    Effect.gen(function* () {
      const path = yield* log
      writeFileSync(`${path}.1`, textOf(numbered(1, 5)))
      writeFileSync(path, textOf(numbered(6, 8)))

      const [two, five, all, none] = yield* Effect.forEach([2, 5, 100, 0], (count) => lastOf(path, count))

      assert.deepStrictEqual(two?.lines, numbered(7, 8))
      assert.deepStrictEqual(five?.lines, numbered(4, 8))
      assert.deepStrictEqual(all?.lines, numbered(1, 8))
      assert.deepStrictEqual(none, { lines: [], next: textOf(numbered(6, 8)).length })
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("of no log are none, and the last words of a crash need no end of line", () =>
    Effect.gen(function* () {
      const path = yield* log
      const absent = yield* lastOf(path, 10)
      writeFileSync(path, "whole\ncut of")

      const cut = yield* lastOf(path, 10)
      const whole = yield* linesFrom(path, 0)

      assert.deepStrictEqual(absent, { lines: [], next: 0 })
      assert.deepStrictEqual(cut, { lines: ["whole", "cut of"], next: "whole\n".length })
      assert.deepStrictEqual(whole, { lines: ["whole"], next: "whole\n".length })
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})

describe("following", () => {
  it.live("F225: tells each line once and in order, whatever is rotated meanwhile", () =>
    Effect.gen(function* () {
      const path = yield* log
      const file = LogFiles.make(path, { mostBytes: 1_000, kept: 3 })
      file.write(textOf(numbered(1, 3)))
      const { next } = yield* lastOf(path, 1)
      const told: Array<string> = []
      yield* Effect.forkScoped(follow(path, next, (line) => Effect.sync(() => told.push(line))))

      for (let nth = 4; nth <= 300; nth += 3) {
        file.write(textOf(numbered(nth, nth + 2)))
        if (nth % 30 === 1)
          yield* until(
            Effect.sync(() => told.length),
            (count) => count === nth + 2 - 3
          )
      }
      yield* until(
        Effect.sync(() => told.length),
        (count) => count === 297
      )

      assert.deepStrictEqual(told, numbered(4, 300))
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})

describe("a line", () => {
  const warning = `{"time":"2026-11-30T20:00:00.000Z","level":"WARN","event":"disconnected","platform":"feishu","attempt":2}`

  it("is read as key=value by a person, and steers no terminal", () => {
    assert.strictEqual(readable(warning), "2026-11-30T20:00:00.000Z WARN disconnected platform=feishu attempt=2")
    assert.strictEqual(readable("\u001b[2J{no json"), "\\x1b[2J{no json")
    assert.strictEqual(readable(warning.replace("2026", "then")), warning.replace("2026", "then"))
  })

  it.each<readonly [string, string, boolean]>([
    ["a warning", warning, true],
    ["good news", warning.replace("WARN", "INFO"), false],
    ["nothing", " ", false],
    ["what something else wrote", "FATAL ERROR: out of memory", true]
  ])("that is %s is told by a start that failed, or not", (_, line, isTold) => {
    assert.strictEqual(Option.isSome(troubleOf(line)), isTold)
  })
})
