import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runProgram } from "../processes.ts"

const program = new URL("./homeHolder.ts", import.meta.url)

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Leaves a lock behind as kill -9 does. */
const killedHolder = (path: string) =>
  runProgram(program, [path, "60000"], { onOutput: (out, kill) => (out.includes("held") ? kill() : undefined) })

/** Four that try at the same instant. Who gets it holds it until the others have ended, and is killed then. */
const race = (path: string) =>
  Effect.suspend(() => {
    const at = String(Date.now() + 1500)
    let ended = 0
    const holders: Array<() => void> = []
    const look = () => (ended === 3 ? holders.forEach((kill) => kill()) : undefined)
    const contend = Effect.tap(
      runProgram(program, [path, "60000", at], {
        onOutput: (out, kill) => {
          if (out.includes("held")) holders.push(kill)
          look()
        }
      }),
      () => Effect.sync(() => (ended++, look()))
    )
    return Effect.all([contend, contend, contend, contend], { concurrency: "unbounded" })
  })

describe("HomeLock, with real processes", () => {
  it.live(
    "F196: of four that race for a dead holder's lock exactly one gets it, five times",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          const path = yield* home
          yield* killedHolder(path)
          const ended = yield* race(path)

          const outs = ended.map(({ out }) => out).toSorted()
          expect(outs[0]).toBe("held\n")
          expect(outs.slice(1)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^refused by \d+\n$/)))
          expect(readdirSync(path)).toEqual(["evergate.lock"])
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live("a living holder in another process is named, and its home stays its own", () =>
    Effect.gen(function* () {
      const path = yield* home
      const held = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        runProgram(program, [path, "60000"], {
          onOutput: (out) => (out.includes("held") ? Deferred.doneUnsafe(held, Effect.void) : undefined)
        })
      )
      yield* Deferred.await(held)

      const { out } = yield* runProgram(program, [path])

      expect(out).toMatch(/^refused by \d+\n$/)
      expect(readdirSync(path)).toEqual(["evergate.lock"])
      yield* Fiber.interrupt(holder)
    }).pipe(Effect.scoped)
  )

  it.live("a home that may not be written is unusable, by its name", () =>
    Effect.gen(function* () {
      const path = yield* home
      const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}
      if (nobody.uid !== undefined) chownSync(path, nobody.uid, nobody.uid)
      chmodSync(path, 0o500)

      const { out } = yield* runProgram(program, [path], nobody)

      chmodSync(path, 0o700)
      expect(out).toContain(`unusable: ${join(path, "evergate.lock")} cannot be used`)
    }).pipe(Effect.scoped)
  )
})
