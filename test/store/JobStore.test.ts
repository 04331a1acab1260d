import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { JobId } from "../../src/domain/Job.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import type { Consequence } from "../../src/store/JobStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import { feishu, job, memory, prompt, reply, session } from "./fixtures.ts"

const morning = JobId.make("morning")

const decide = (scheduledAt: number, consequence: Consequence, id = morning) =>
  Effect.flatMap(JobStore, (jobs) => jobs.decide([{ job: id, scheduledAt, decidedAt: scheduledAt + 5, consequence }]))

const turn = (scheduledAt: number): Consequence => ({ _tag: "Turn", entry: prompt("morning", scheduledAt) })
const say = (id: string): Consequence => ({ _tag: "Say", message: reply(id) })
const skip: Consequence = { _tag: "Skip", reason: "missed" }

const lastRun = Effect.gen(function* () {
  const jobs = yield* JobStore
  return (yield* jobs.runs(morning, 1))[0]
})

const finish = (outcome: "ok" | "failed", error: string | null, replies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const { seq } = Option.getOrThrow(yield* inbox.take(session, 1000))
    yield* inbox.finish({ seq, outcome, error, replies: replies.map((id) => reply(id)), endedAt: 9000 })
  })

describe("JobStore", () => {
  it.effect("F094: an occurrence is decided once; deciding it again does nothing of what follows", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore

      const first = yield* decide(1000, turn(1000))
      const again = yield* decide(1000, say("d1"))

      expect([first, again]).toEqual([[true], [false]])
      expect(yield* inbox.unprocessed).toEqual(new Map([[feishu, 1]]))
      expect(yield* outbox.list("pending", 10)).toEqual([])
      expect(yield* jobs.runs(morning, 10)).toHaveLength(1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("decides several in one transaction: of one that cannot be kept, nothing is", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const { sql } = yield* Database
      yield* sql`CREATE TRIGGER broken BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'the disk says no'); END`
      const decision = (scheduledAt: number, consequence: Consequence) => ({
        job: morning,
        scheduledAt,
        decidedAt: 5000,
        consequence
      })

      yield* Effect.flip(jobs.decide([decision(1000, skip), decision(2000, say("d1"))]))

      expect(yield* jobs.runs(morning, 10)).toEqual([])
    }).pipe(Effect.provide(memory))
  )

  it.effect("F095: a turn's run is running until the turn has ended, and then says how", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      yield* decide(1000, turn(1000))

      const before = [yield* jobs.running(morning), (yield* lastRun)?.outcome]
      yield* finish("failed", "agent: timed out", [])

      expect(before).toEqual([true, "running"])
      expect(yield* jobs.running(morning)).toBe(false)
      expect(yield* lastRun).toEqual({
        job: "morning",
        scheduledAt: 1000,
        decidedAt: 1005,
        outcome: "failed",
        reason: "agent: timed out",
        endedAt: 9000,
        delivery: "none"
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("F109: what a run did and whether it was delivered are two things", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* decide(1000, turn(1000))
      yield* finish("ok", null, ["d1", "d2"])

      const posted = (yield* lastRun)?.delivery
      yield* outbox.delivered({ seq: 1, ...reply("d1") }, "om_1", 9100)
      const half = (yield* lastRun)?.delivery
      yield* outbox.delivered({ seq: 2, ...reply("d2") }, "om_2", 9200)
      yield* outbox.prune(99_999)

      expect([posted, half]).toEqual(["pending", "pending"])
      expect(yield* lastRun).toMatchObject({ outcome: "ok", delivery: "delivered" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("F110: a text is a run that went well, and one that could not be delivered says so", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* decide(1000, say("d1"))

      const posted = yield* lastRun
      yield* outbox.bury(1, "chat not found", 2000)

      expect(posted).toMatchObject({ outcome: "ok", endedAt: 1005, delivery: "pending" })
      expect(yield* lastRun).toMatchObject({ outcome: "ok", delivery: "dead" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("F104: a skipped occurrence is a row with its reason", () =>
    Effect.gen(function* () {
      yield* decide(1000, skip)

      expect(yield* lastRun).toMatchObject({ outcome: "skipped", reason: "missed", endedAt: 1005, delivery: "none" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives a job back with where its ledger stands", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      yield* jobs.put(job("morning"))
      yield* jobs.put(job("evening", { source: "api" }))
      yield* decide(2000, skip)
      yield* decide(1000, skip)

      const [evening, found] = yield* jobs.list

      expect(evening).toEqual({ job: job("evening", { source: "api" }), lastScheduledAt: null, last: null })
      expect(found).toMatchObject({ job: job("morning"), lastScheduledAt: 2000, last: { scheduledAt: 2000 } })
      expect(yield* jobs.find(JobId.make("none"))).toEqual(Option.none())
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes the file's jobs those of the file, and lets jobs from elsewhere be", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      yield* jobs.put(job("hand", { source: "api" }))
      yield* jobs.replaceFileJobs([job("gone"), job("kept"), job("moved")])

      yield* jobs.replaceFileJobs([
        job("kept", { createdAt: 7000, action: { _tag: "Text", text: "hello" } }),
        job("moved", { createdAt: 7000, timezone: "Europe/Berlin" }),
        job("new", { createdAt: 7000 })
      ])

      const found = (yield* jobs.list).map((stored) => [stored.job.id, stored.job.createdAt, stored.job.action._tag])
      expect(found).toEqual([
        ["hand", 1000, "Prompt"],
        ["kept", 1000, "Text"],
        ["moved", 7000, "Prompt"],
        ["new", 7000, "Prompt"]
      ])
    }).pipe(Effect.provide(memory))
  )

  it.effect("F108: a job deleted while it runs stays deleted, and its history stays", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      yield* jobs.put(job("morning"))
      yield* decide(1000, turn(1000))

      const removed = [yield* jobs.remove(morning), yield* jobs.remove(morning)]
      yield* finish("ok", null, [])

      expect(removed).toEqual([true, false])
      expect(yield* jobs.list).toEqual([])
      expect(yield* lastRun).toMatchObject({ outcome: "ok" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("a job that does not read back is left out of the list, and replaced by the file's", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const { sql } = yield* Database
      yield* jobs.replaceFileJobs([job("morning"), job("evening")])
      yield* sql`UPDATE cron_jobs SET job = '{}' WHERE id = 'morning'`

      const listed = (yield* jobs.list).map((stored) => stored.job.id)
      const error = yield* Effect.flip(jobs.find(morning))
      yield* jobs.replaceFileJobs([job("morning"), job("evening")])

      expect(listed).toEqual(["evening"])
      expect(error.message).toContain("cron_jobs morning does not read back")
      expect(yield* jobs.list).toHaveLength(2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("prunes ended runs, but neither the newest of a job nor one that runs", () =>
    Effect.gen(function* () {
      const jobs = yield* JobStore
      const evening = JobId.make("evening")
      yield* decide(500, turn(500))
      yield* Effect.forEach(Array.from({ length: 502 }), (_, i) => decide(1000 + i, skip))
      yield* decide(900, skip, evening)

      const steps = yield* Effect.forEach([1, 2, 3], () => jobs.prune(99_999))

      expect(steps).toEqual([true, true, false])
      expect((yield* jobs.runs(morning, 10)).map((run) => run.scheduledAt)).toEqual([1501, 500])
      expect(yield* jobs.runs(evening, 10)).toHaveLength(1)
    }).pipe(Effect.provide(memory))
  )
})
