/** The ticker over the real store: what is decided, what it leads to, and that nothing stops it. */
import { describe, expect, it } from "@effect/vitest"
import {
  Array as Arr,
  Clock,
  Deferred,
  Duration,
  Effect,
  Layer,
  Logger,
  Option,
  Queue,
  References,
  Stream
} from "effect"
import * as TestClock from "effect/testing/TestClock"
import { Feed } from "../../src/actors/Feed.ts"
import type { FeedEvent } from "../../src/actors/Feed.ts"
import { Sessions } from "../../src/actors/Sessions.ts"
import { Ticker } from "../../src/actors/Ticker.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { AgentError, StoreError } from "../../src/domain/Errors.ts"
import type { Job, Run } from "../../src/domain/Job.ts"
import { JobId } from "../../src/domain/Job.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import { onMovableClock } from "./movableClock.ts"
import type { WorldOptions } from "./world.ts"
import { quiet, world } from "./world.ts"

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

const start = Date.parse("2026-03-02T09:00:00Z")
const at = (text: string): number => Date.parse(text)

const jobOf = (id: string, change: Partial<Job> = {}): Job => ({
  id: JobId.make(id),
  schedule: "* * * * *",
  timezone: "UTC",
  deliverTo: { platform: PlatformId.make("local"), chat: "me", thread: null },
  action: { _tag: "Text", text: `text of ${id}` },
  misfire: { policy: "once", withinMillis: null },
  overlap: "skip",
  source: "api",
  createdAt: start,
  ...change
})

const a = jobOf("a")
const b = jobOf("b")
const asking: Partial<Job> = { action: { _tag: "Prompt", prompt: "Hi" } }

/** Puts a fault between the ticker and the store. */
type Fault = (store: JobStore["Service"]) => Partial<JobStore["Service"]>

const ticking = (options: WorldOptions & { readonly fault?: Fault } = {}) => {
  const { fault, ...rest } = options
  const faulty = Layer.effect(
    JobStore,
    Effect.map(JobStore, (store) => JobStore.of({ ...store, ...fault?.(store) }))
  )
  return Ticker.layer({ scope: "chat" }).pipe(Layer.provide(faulty), Layer.provideMerge(world(rest)))
}

/** The jobs are in the store before the ticker starts, at `start`. */
const withJobs = (jobs: ReadonlyArray<Job>) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    yield* Effect.forEach(jobs, store.put)
    yield* (yield* Ticker).refresh
    yield* quiet
  })

const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), quiet)

const runs = (job: Job) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.runs(job.id, 5_000)),
    (newest) => newest.toReversed()
  )

const ran = (job: Job) =>
  Effect.map(runs(job), (all) =>
    all.filter(({ outcome }) => outcome !== "skipped").map(({ scheduledAt }) => scheduledAt)
  )

const lateness = ({ decidedAt, scheduledAt }: Run): number => decidedAt - scheduledAt

const from =
  (instant: number) =>
  <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.andThen(TestClock.setTime(instant), test)

describe("the ticker", () => {
  it.effect("a text is in the outbox at its minute, under an id of its own that is short enough for any platform", () =>
    Effect.gen(function* () {
      const long = jobOf("a".repeat(64))
      yield* withJobs([a, long])

      yield* pass(2 * minute)

      const waiting = yield* (yield* OutboxStore).list("pending", 10)
      expect(new Set(waiting.map(({ id }) => id)).size).toBe(4)
      expect(waiting.every(({ id }) => id.length <= 50)).toBe(true)
      expect(yield* ran(a)).toEqual([start + minute, start + 2 * minute])
    }).pipe(Effect.provide(ticking()), from(start))
  )

  it.effect("a prompt is a turn of the agent, and its answer waits for its chat", () =>
    Effect.gen(function* () {
      yield* withJobs([jobOf("a", asking)])

      yield* pass(minute)

      const [run] = yield* runs(a)
      const [answer] = yield* (yield* OutboxStore).list("pending", 10)
      expect(run).toMatchObject({ outcome: "ok", delivery: "pending" })
      expect(answer).toMatchObject({ text: "echo: Hi", address: { platform: "local", chat: "me" } })
    }).pipe(Effect.provide(ticking()), from(start))
  )

  it.effect(
    "its life is in the log: started, fired with how late, skipped with why, stopped, and nothing worse",
    () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        const fields = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
          ([key, value]) => `${key}=${String(value)}`
        )
        if (String(message).startsWith("cron")) lines.push([logLevel, String(message), ...fields].join(" "))
      })
      return onMovableClock((move) =>
        Effect.gen(function* () {
          yield* withJobs([a])
          yield* pass(minute)
          yield* move(minute + 14)
          yield* pass(5 * second)
          yield* move(3 * minute)
          yield* pass(5 * second)
        }).pipe(
          Effect.provide(ticking()),
          Effect.tap(() =>
            Effect.sync(() =>
              expect(lines).toEqual([
                "Info cron started",
                "Info cron fired job=a scheduled=2026-03-02T09:01:00.000Z late=0s",
                "Info cron fired job=a scheduled=2026-03-02T09:02:00.000Z late=5014ms",
                expect.stringContaining(
                  "Info cron skipped job=a scheduled=2026-03-02T09:04:00.000Z reason=a later occurrence"
                ),
                "Info cron fired job=a scheduled=2026-03-02T09:05:00.000Z late=10014ms",
                "Info cron stopped"
              ])
            )
          ),
          Effect.provide(Logger.layer([logger])),
          from(start)
        )
      )
    }
  )

  it.effect("tells the feed what it decided", () =>
    Effect.gen(function* () {
      const heard = yield* Queue.unbounded<FeedEvent>()
      const { events } = yield* Feed
      yield* Effect.forkScoped(Stream.runForEach(events, (event) => Queue.offer(heard, event)))
      yield* withJobs([a])

      yield* pass(minute)

      expect(yield* Queue.takeAll(heard)).toMatchObject([{ _tag: "RunDecided", job: "a", outcome: "ok", reason: null }])
    }).pipe(Effect.scoped, Effect.provide(ticking()), from(start))
  )

  it.effect.each([
    ["throws", Effect.sync(() => JSON.parse("not JSON"))],
    ["fails", Effect.fail(new StoreError({ operation: "decide", detail: "full", unusable: false }))],
    ["dies without an error", Effect.die(null)],
    ["is interrupted", Effect.interrupt]
  ] as const)("F088: a job that %s stops neither the other jobs nor the ticker", ([, broken]) =>
    Effect.gen(function* () {
      yield* withJobs([a, b])

      yield* pass(3 * minute)

      expect(yield* ran(a)).toEqual([])
      expect(yield* ran(b)).toEqual([start + minute, start + 2 * minute, start + 3 * minute])
      expect(yield* (yield* Ticker).status).toMatchObject({ running: true, lastTickAt: start + 3 * minute })
    }).pipe(
      Effect.provide(
        ticking({ fault: (store) => ({ decide: (made) => (made[0]?.job === a.id ? broken : store.decide(made)) }) })
      ),
      from(start)
    )
  )

  it.effect.each([
    ["fails", Effect.fail(new AgentError({ detail: "no route to the agent" })), "no route to the agent"],
    ["crashes", Effect.die("a bug of the agent"), "a bug of the agent"]
  ] as const)("F088: a turn that %s is on the record of its job, and the next occurrence runs", ([, answer, reason]) =>
    Effect.gen(function* () {
      yield* withJobs([jobOf("a", asking)])

      yield* pass(2 * minute)

      expect(yield* runs(a)).toMatchObject([
        { outcome: "failed", reason: expect.stringContaining(reason) },
        { outcome: "failed", reason: expect.stringContaining(reason) }
      ])
    }).pipe(Effect.provide(ticking({ answer: () => answer })), from(start))
  )

  it.effect("F088: a schedule in the store that does not read stops no other job", () =>
    Effect.gen(function* () {
      yield* withJobs([jobOf("a", { schedule: "@reboot" }), b])

      yield* pass(minute)

      expect(yield* ran(b)).toEqual([start + minute])
      const { jobs } = yield* (yield* Ticker).status
      expect(jobs.map(({ job, next }) => [job.id, next])).toEqual([
        ["a", null],
        ["b", start + 2 * minute]
      ])
    }).pipe(Effect.provide(ticking()), from(start))
  )

  it.effect("F089: a job that hangs holds up no other", () =>
    Effect.gen(function* () {
      yield* withJobs([jobOf("a", { ...asking, schedule: "1 9 * * *" }), b])

      yield* pass(10 * minute)

      expect((yield* runs(a))[0]?.outcome).toBe("running")
      expect(yield* ran(b)).toHaveLength(10)
    }).pipe(Effect.provide(ticking({ answer: () => Effect.never, turnTimeout: Duration.hours(1) })), from(start))
  )

  it.effect.each([14, 90 * second, 223 * second])("F091: an occurrence that is seen %d ms late runs once", (late) =>
    onMovableClock((move) =>
      Effect.gen(function* () {
        const daily = jobOf("a", { schedule: "30 9 * * *" })
        yield* withJobs([daily])
        yield* pass(29 * minute + 59 * second)

        yield* move(late)
        yield* pass(second)
        yield* pass(minute)

        const [run, ...others] = yield* runs(daily)
        expect(run?.scheduledAt).toBe(start + 30 * minute)
        expect(run === undefined ? -1 : lateness(run)).toBeGreaterThanOrEqual(late)
        expect(others).toEqual([])
      }).pipe(Effect.provide(ticking()), from(start))
    )
  )

  it.effect("F092: a clock that is stepped back 2 s before the time brings one run, and never before the time", () =>
    onMovableClock((move) =>
      Effect.gen(function* () {
        const daily = jobOf("a", { schedule: "30 9 * * *" })
        yield* withJobs([daily])
        yield* pass(29 * minute + 59 * second)

        yield* move(-2 * second)
        yield* pass(2 * second)
        const early = yield* runs(daily)
        yield* pass(second)
        yield* move(-2 * second)
        yield* pass(minute)

        expect(early).toEqual([])
        expect((yield* runs(daily)).map(lateness)).toEqual([0])
      }).pipe(Effect.provide(ticking()), from(start))
    )
  )

  it.effect.each([30 * second, -30 * second])(
    "F102: a clock that is stepped by %d ms brings one run and no spinning",
    (step) => {
      let looks = 0
      const counted: Fault = (store) => ({
        list: Effect.andThen(
          Effect.sync(() => looks++),
          store.list
        )
      })
      return onMovableClock((move) =>
        Effect.gen(function* () {
          yield* withJobs([jobOf("a", { schedule: "30 9 * * *" })])
          yield* pass(29 * minute + 50 * second)

          looks = 0
          yield* move(step)
          yield* pass(minute)

          expect(looks).toBeLessThanOrEqual(2 * 60)
          expect(yield* ran(a)).toEqual([start + 30 * minute])
        }).pipe(Effect.provide(ticking({ fault: counted })), from(start))
      )
    }
  )

  it.effect(
    "F103: a clock that goes a day ahead and back brings one run a minute that passed, and no day of silence",
    () =>
      onMovableClock((move) =>
        Effect.gen(function* () {
          yield* withJobs([a])
          yield* pass(minute)

          yield* move(day)
          yield* pass(minute)
          const ahead = yield* ran(a)
          yield* move(-day)
          yield* pass(3 * minute)

          expect(ahead).toEqual([start + minute, start + day + minute, start + day + 2 * minute])
          expect((yield* ran(a)).toSorted()).toEqual(
            [...ahead, start + 3 * minute, start + 4 * minute, start + 5 * minute].toSorted()
          )
        }).pipe(Effect.provide(ticking()), from(start))
      )
  )

  it.effect("F104: a machine that slept a weekend runs each job once by its policy, and says what it skipped", () =>
    onMovableClock((move) =>
      Effect.gen(function* () {
        const overdue = Array.from({ length: 20 }, (_, index) => jobOf(`j${index}`, { schedule: `${index} * * * *` }))
        const skipping = jobOf("weekly", { schedule: "0 16 * * 5", misfire: { policy: "skip", withinMillis: null } })
        yield* withJobs([...overdue, skipping])

        // Monday to Sunday.
        yield* move(6 * day)
        yield* pass(5 * second)

        for (const job of overdue) {
          const all = yield* runs(job)
          expect(all.map(({ outcome }) => outcome)).toEqual(["skipped", "ok"])
          expect(all[0]?.reason).toContain("a later occurrence runs in its place")
        }
        expect(yield* runs(skipping)).toMatchObject([
          {
            outcome: "skipped",
            scheduledAt: at("2026-03-06T16:00:00Z"),
            reason: expect.stringContaining("policy skip")
          }
        ])
      }).pipe(Effect.provide(ticking()), from(start))
    )
  )

  it.effect("F108: a job that is removed while it runs stays removed, and its run is kept", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<string>()
      yield* Effect.gen(function* () {
        const store = yield* JobStore
        yield* withJobs([jobOf("a", asking)])
        yield* pass(minute)

        yield* store.remove(a.id)
        yield* Deferred.succeed(answered, "done")
        yield* pass(2 * minute)

        expect(yield* store.list).toEqual([])
        expect(yield* runs(a)).toMatchObject([{ outcome: "ok" }])
      }).pipe(Effect.provide(ticking({ answer: () => Deferred.await(answered) })))
    }).pipe(from(start))
  )

  it.effect("F109: what the agent did and whether the platform took it are two things", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* withJobs([a])
      yield* pass(minute)
      const waiting = Arr.getUnsafe(yield* outbox.list("pending", 1), 0)

      const before = (yield* runs(a))[0]
      yield* outbox.delivered(waiting, "m1", start + minute)

      expect(before).toMatchObject({ outcome: "ok", delivery: "pending" })
      expect((yield* runs(a))[0]).toMatchObject({ outcome: "ok", delivery: "delivered" })
    }).pipe(Effect.provide(ticking()), from(start))
  )

  it.effect("F114: an occurrence that comes while the last run goes on is skipped and counted; so is one by hand", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      yield* withJobs([jobOf("a", { ...asking, schedule: "every 5s" })])

      yield* pass(12 * second)
      const byHand = yield* (yield* Ticker).runNow(a.id)
      yield* pass(8 * second)

      expect(Option.getOrThrow(byHand)).toMatchObject({ outcome: "skipped", scheduledAt: start + 12 * second })
      expect(
        (yield* store.runs(a.id, 10)).toReversed().map(({ scheduledAt, outcome }) => [scheduledAt - start, outcome])
      ).toEqual([
        [5_000, "ok"],
        [10_000, "skipped"],
        [12_000, "skipped"],
        [15_000, "skipped"],
        [20_000, "running"]
      ])
    }).pipe(Effect.provide(ticking({ answer: () => Effect.delay(Effect.succeed("hi"), "12 seconds") })), from(start))
  )

  it.effect("F115: a loop that is blocked for longer than the period goes on with the next second", () =>
    onMovableClock((move) =>
      Effect.gen(function* () {
        yield* withJobs([jobOf("a", { schedule: "* * * * * *" })])
        yield* pass(3 * second)

        yield* move(2_500)
        yield* pass(3 * second)

        expect((yield* ran(a)).at(-1)).toBe(start + 8 * second)
        expect(yield* (yield* Ticker).status).toMatchObject({ running: true })
      }).pipe(Effect.provide(ticking()), from(start))
    )
  )

  it.effect("a store that does not answer is asked again at the next tick, and nothing is lost", () => {
    let down = false
    const error = new StoreError({ operation: "list", detail: "locked", unusable: false })
    const fault: Fault = (store) => ({
      list: Effect.suspend(() => (down ? Effect.fail(error) : store.list)),
      decide: (made) => (down ? Effect.fail(error) : store.decide(made))
    })
    return Effect.gen(function* () {
      yield* withJobs([a])
      down = true
      yield* pass(minute + 30 * second)
      const during = yield* (yield* Ticker).status
      down = false
      yield* pass(5 * second)

      expect(during).toMatchObject({ running: true, jobs: [{ job: { id: "a" } }] })
      expect((yield* runs(a)).map(({ scheduledAt }) => scheduledAt)).toEqual([start + minute])
    }).pipe(Effect.provide(ticking({ fault })), from(start))
  })

  it.effect("a refresh makes a new job count at once", () =>
    Effect.gen(function* () {
      const ticker = yield* Ticker
      yield* pass(second)
      yield* (yield* JobStore).put(jobOf("a", { schedule: "* * * * * *", createdAt: start + second }))

      yield* ticker.refresh
      yield* quiet
      yield* pass(second)

      expect(yield* ran(a)).toEqual([start + 2 * second])
    }).pipe(Effect.provide(ticking()), from(start))
  )

  it.effect("a run by hand is recorded and takes nothing from the schedule", () =>
    Effect.gen(function* () {
      const ticker = yield* Ticker
      yield* withJobs([a])
      yield* pass(minute - second)

      const run = yield* ticker.runNow(a.id)
      const none = yield* ticker.runNow(b.id)
      yield* pass(minute)

      expect(Option.getOrThrow(run)).toMatchObject({ outcome: "ok", scheduledAt: start + 59 * second })
      expect(none).toEqual(Option.none())
      expect(yield* ran(a)).toEqual([start + 59 * second, start + minute])
    }).pipe(Effect.provide(ticking()), from(start))
  )

  it.effect("reading the status writes nothing", () => {
    const writes: Array<string> = []
    const fault: Fault = (store) => ({
      put: (job) =>
        Effect.andThen(
          Effect.sync(() => writes.push("put")),
          store.put(job)
        ),
      decide: (made) =>
        Effect.andThen(
          Effect.sync(() => writes.push("decide")),
          store.decide(made)
        )
    })
    return Effect.gen(function* () {
      yield* withJobs([a])

      for (let i = 0; i < 10; i++) yield* (yield* Ticker).status

      expect(writes).toEqual([])
      expect((yield* (yield* Ticker).status).jobs).toMatchObject([{ next: start + minute, last: null }])
    }).pipe(Effect.provide(ticking({ fault })), from(start))
  })
})

describe("the ticker after a restart", () => {
  /** A world of its own over a database that outlives it. */
  const life = (database: Database["Service"], options: WorldOptions = {}) => ticking({ ...options, database })

  it.effect("F094: a start in the minute of a run does not run it again", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* Effect.andThen(withJobs([a]), pass(minute)).pipe(Effect.provide(life(database)))
      yield* TestClock.adjust("30 seconds")

      const after = yield* Effect.gen(function* () {
        yield* quiet
        return yield* ran(a)
      }).pipe(Effect.provide(life(database)))

      expect(after).toEqual([start + minute])
    }).pipe(Effect.provide(Store.layerMemory), from(start))
  )

  it.effect("F095 F113: a run that was cut by a crash is begun again and ends, and the schedule goes on", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const attempts: Array<number> = []
      const attempt = (turn: Turn) => Effect.sync(() => void attempts.push(turn.attempt))
      const hanging = life(database, { answer: (turn) => Effect.andThen(attempt(turn), Effect.never) })
      const answering = life(database, { answer: (turn) => Effect.as(attempt(turn), "done") })
      const cut = yield* Effect.gen(function* () {
        yield* withJobs([jobOf("a", { ...asking, schedule: "every 1m" })])
        yield* pass(minute)
        return (yield* runs(a))[0]
      }).pipe(Effect.provide(hanging))

      const outcomes = yield* Effect.gen(function* () {
        yield* (yield* Sessions).serve(a.deliverTo.platform)
        yield* pass(minute)
        return (yield* runs(a)).map(({ outcome }) => outcome)
      }).pipe(Effect.provide(answering))

      expect(cut).toMatchObject({ outcome: "running" })
      expect(outcomes).toEqual(["ok", "ok"])
      expect(attempts).toEqual([1, 2, 1])
    }).pipe(Effect.provide(Store.layerMemory), from(start))
  )

  it.effect("after a stop nothing fires", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* withJobs([a]).pipe(Effect.provide(life(database)))

      yield* pass(10 * minute)

      const kept = yield* runs(a).pipe(Effect.provide(world({ database })))
      expect(kept).toEqual([])
      expect(yield* Clock.currentTimeMillis).toBe(start + 10 * minute)
    }).pipe(Effect.provide(Store.layerMemory), from(start))
  )
})
