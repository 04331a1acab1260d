import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import * as HomeLock from "../../src/layers/HomeLock.ts"

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const lockOf = (path: string) => join(path, "evergate.lock")
const holder = (path: string) => JSON.parse(readFileSync(lockOf(path), "utf8")) as Record<string, unknown>

/** A lock as an earlier process would have left it. */
const leave = (path: string, change: object) =>
  writeFileSync(
    lockOf(path),
    JSON.stringify({ pid: process.pid, host: hostname(), started: "boot/1", claim: "c", ...change })
  )

/** Above every number that Linux gives. */
const nobodysPid = 2 ** 30

describe("HomeLock", () => {
  it.effect("makes the home and holds it, both for their owner alone, until the scope closes", () =>
    Effect.gen(function* () {
      const path = join(yield* home, "deep", "home")

      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* HomeLock.acquire(path)

          expect(statSync(path).mode & 0o777).toBe(0o700)
          expect(statSync(lockOf(path)).mode & 0o777).toBe(0o600)
          expect(holder(path)).toMatchObject({ pid: process.pid, host: hostname() })
          expect(readdirSync(path)).toEqual(["evergate.lock"])
        })
      )

      expect(readdirSync(path)).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.effect("a second one is refused and told who holds it; after the first is gone it gets it", () =>
    Effect.gen(function* () {
      const path = yield* home
      const first = yield* Scope.make()
      yield* Scope.provide(HomeLock.acquire(path), first)

      const error = yield* Effect.flip(Effect.scoped(HomeLock.acquire(path)))
      const stillHeld = existsSync(lockOf(path))
      yield* Scope.close(first, Exit.void)
      yield* Effect.scoped(HomeLock.acquire(path))

      expect(error).toMatchObject({
        _tag: "HomeHeld",
        holder: { pid: process.pid, host: hostname(), home: path },
        path: lockOf(path)
      })
      expect(error.message).toContain(`process ${process.pid} on ${hostname()}`)
      expect(stillHeld).toBe(true)
    }).pipe(Effect.scoped)
  )

  it.effect("F196: a lock of a process that is gone is taken over", () =>
    Effect.gen(function* () {
      const path = yield* home
      leave(path, { pid: nobodysPid })

      yield* HomeLock.acquire(path)

      expect(holder(path)).toMatchObject({ pid: process.pid })
      expect(readdirSync(path)).toEqual(["evergate.lock"])
    }).pipe(Effect.scoped)
  )

  // Only /proc tells one process from a later one with the same number.
  const tellsProcesses = it.effect.skipIf(!existsSync("/proc/self/stat"))

  tellsProcesses("F199: a lock of earlier processes with numbers that live again is taken over", () =>
    Effect.gen(function* () {
      const path = yield* home
      for (const pid of [process.pid, process.ppid]) {
        leave(path, { pid })

        yield* Effect.scoped(HomeLock.acquire(path))

        expect(readdirSync(path)).toEqual([])
      }
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    { name: "empty", bytes: "" },
    { name: "cut", bytes: '{"pid": 12, "ho' },
    { name: "binary", bytes: "\u0000\u0001\u0002" },
    { name: "not about a process", bytes: '{"pid": -1, "host": "h", "started": null, "claim": "c"}' }
  ])("F198: a lock that is $name is no lock", ({ bytes }) =>
    Effect.gen(function* () {
      const path = yield* home
      writeFileSync(lockOf(path), bytes)

      yield* HomeLock.acquire(path)

      expect(holder(path)).toMatchObject({ pid: process.pid })
    }).pipe(Effect.scoped)
  )

  it.effect("a lock of another host is believed, and the error says what to do if it is gone", () =>
    Effect.gen(function* () {
      const path = yield* home
      leave(path, { pid: nobodysPid, host: "elsewhere" })

      const error = yield* Effect.flip(HomeLock.acquire(path))

      expect(error).toMatchObject({ _tag: "HomeHeld", holder: { host: "elsewhere" } })
      expect(error.message).toContain(`if it is gone for good, remove ${lockOf(path)}`)
    }).pipe(Effect.scoped)
  )

  it.effect("a takeover that was cut short is taken over too", () =>
    Effect.gen(function* () {
      const path = yield* home
      leave(path, { pid: nobodysPid })
      writeFileSync(`${lockOf(path)}.takeover`, readFileSync(lockOf(path)))

      yield* HomeLock.acquire(path)

      expect(holder(path)).toMatchObject({ pid: process.pid })
      expect(readdirSync(path)).toEqual(["evergate.lock"])
    }).pipe(Effect.scoped)
  )

  it.effect("a takeover that a living process is at is not disturbed", () =>
    Effect.gen(function* () {
      const path = yield* home
      leave(path, { pid: nobodysPid })
      writeFileSync(
        `${lockOf(path)}.takeover`,
        JSON.stringify({ pid: process.pid, host: hostname(), started: null, claim: "other" })
      )

      const error = yield* Effect.flip(HomeLock.acquire(path))

      expect(error).toMatchObject({ _tag: "HomeHeld", holder: { pid: process.pid } })
      expect(holder(path)).toMatchObject({ pid: nobodysPid })
    }).pipe(Effect.scoped)
  )

  it.effect("releases only what is still its own", () =>
    Effect.gen(function* () {
      const path = yield* home

      yield* Effect.scoped(
        Effect.andThen(
          HomeLock.acquire(path),
          Effect.sync(() => leave(path, { claim: "another's" }))
        )
      )

      expect(holder(path)).toMatchObject({ claim: "another's" })
    }).pipe(Effect.scoped)
  )

  it.effect("a home that cannot be made is unusable, by its name", () =>
    Effect.gen(function* () {
      const path = yield* home
      writeFileSync(join(path, "file"), "")

      const error = yield* Effect.flip(HomeLock.acquire(join(path, "file", "home")))

      expect(error).toMatchObject({ _tag: "HomeUnusable", path: join(path, "file", "home") })
    }).pipe(Effect.scoped)
  )
})
