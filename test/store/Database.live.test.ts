import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { JobId } from "../../src/domain/Job.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { runProgram } from "../processes.ts"
import { job, storesIn } from "./fixtures.ts"

const file = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "evergate-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(Effect.map((folder) => join(folder, "evergate.db")))

const writer = new URL("./writer.ts", import.meta.url)
const jobAdder = new URL("./jobAdder.ts", import.meta.url)

/** What the killed process was told is kept, one id a line. */
const acknowledged = (out: string, what: string) =>
  out
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith(`${what} `))
    .map((line) => line.slice(what.length + 1))

const ids = (db: DatabaseSync, query: string) =>
  new Set(
    db
      .prepare(query)
      .all()
      .map((row) => String(row["id"]))
  )

describe("Database, with real processes", () => {
  it.live(
    "F145: kill -9 in the middle of writes, 20 times: what was acknowledged is there, and nothing is half there",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        for (let round = 0; round < 20; round++) {
          // Between the first write and some 800: each time at another point.
          const enough = 1 + round * 40
          const { out, signal } = yield* runProgram(writer, [filename, `r${round}`], {
            onOutput: (text, kill) => {
              if (text.split("\n").length > enough) kill()
            }
          })

          const db = new DatabaseSync(filename)
          yield* Effect.addFinalizer(() => Effect.sync(() => db.close()))
          const kept = ids(db, "SELECT event_id AS id FROM inbox")
          const finished = ids(db, "SELECT event_id AS id FROM inbox WHERE ended_at IS NOT NULL")
          const replies = ids(db, "SELECT id FROM outbox")
          const bothOf = [...finished].flatMap((id) => [`${id}-a`, `${id}-b`])

          expect(signal).toBe("SIGKILL")
          expect(acknowledged(out, "accepted").filter((id) => !kept.has(id))).toEqual([])
          expect(acknowledged(out, "finished").filter((id) => !finished.has(id))).toEqual([])
          expect([...replies].toSorted()).toEqual(bothOf.toSorted())
          expect(db.prepare("PRAGMA integrity_check").get()).toMatchObject({ integrity_check: "ok" })
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "F105: 20 processes add a job each while another writes all the time: there are 20 jobs",
    () =>
      Effect.gen(function* () {
        const filename = yield* file
        yield* Effect.gen(function* () {
          const jobs = yield* JobStore
          const ticking = yield* Effect.forkChild(
            Effect.forever(Effect.andThen(jobs.put(job("ticker", { source: "api" })), Effect.sleep("1 millis")))
          )

          const ended = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, i) => `job-${i}`),
            (id) => runProgram(jobAdder, [filename, id]),
            { concurrency: 5 }
          )
          const stopped = ticking.pollUnsafe()
          yield* Fiber.interrupt(ticking)

          expect(stopped).toBe(undefined)
          expect(ended.map(({ code, err }) => [code, err])).toEqual(Array.from({ length: 20 }, () => [0, ""]))
          expect(yield* jobs.remove(JobId.make("ticker"))).toBe(true)
          expect(yield* jobs.list).toHaveLength(20)
        }).pipe(Effect.provide(storesIn(filename)))
      }).pipe(Effect.scoped),
    120_000
  )
})
