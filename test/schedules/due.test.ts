/** What is due: misfires, lateness, and clocks that are set. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import type { Job } from "../../src/domain/Job.ts"
import type { Look } from "../../src/schedules/due.ts"
import { due, mostRuns } from "../../src/schedules/due.ts"
import { parse } from "../../src/schedules/timetable.ts"

const at = (text: string): number => Date.parse(text)
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const created = at("2026-01-01T00:00:00Z")

const look = (schedule: string, misfire: Job["misfire"], options: Omit<Look, "job" | "timetable">): Look => ({
  job: { createdAt: created, misfire },
  timetable: Result.getOrThrow(parse({ schedule, timezone: "UTC", createdAt: created })),
  ...options
})

const once: Job["misfire"] = { policy: "once", withinMillis: hour }

/** Up and looking every five seconds until just before. */
const awake = (now: number, last: number) => ({ now, last, since: now - 5 * second, awakeSince: created })
/** Just started after a time of being down. */
const restarted = (now: number, last: number | null) => ({ now, last, since: null, awakeSince: now })

describe("due", () => {
  it.each([
    ["14 ms", 14],
    ["90 s", 90 * second],
    ["223 s", 223 * second]
  ])("F091: an occurrence that is looked at %s late runs once, and how late is told", (_, late) => {
    const nine = at("2026-03-02T09:00:00Z")

    const decided = due(look("0 9 * * *", once, awake(nine + late, nine - day)))

    expect(decided).toEqual([{ _tag: "Run", scheduledAt: nine, lateMillis: late }])
  })

  it("F091: a blocked loop is no misfire, so that the policy skip still runs the newest", () => {
    const now = at("2026-03-02T09:03:43Z")

    const decided = due(
      look("* * * * *", { policy: "skip", withinMillis: null }, awake(now, at("2026-03-02T09:00:00Z")))
    )

    expect(decided).toEqual([
      {
        _tag: "Skip",
        scheduledAt: at("2026-03-02T09:02:00Z"),
        reason: "a later occurrence runs in its place; 1 before it too, since 2026-03-02T09:01:00.000Z"
      },
      { _tag: "Run", scheduledAt: at("2026-03-02T09:03:00Z"), lateMillis: 43 * second }
    ])
  })

  it("F092: nothing is due before its instant, nor again after a clock that was stepped back", () => {
    const instant = at("2026-03-02T17:35:00Z")
    const daily = (now: number, last: number) => due(look("35 17 * * *", once, awake(now, last)))

    expect(daily(instant - 2 * second, instant - day)).toEqual([])
    expect(daily(instant - 1, instant - day)).toEqual([])
    expect(daily(instant, instant - day)).toHaveLength(1)
    expect(daily(instant - 2 * second, instant)).toEqual([])
    expect(daily(instant + second, instant)).toEqual([])
  })

  it("F094: a restart within the minute of a run does not run it again", () => {
    const ran = at("2026-03-02T09:00:00Z")

    expect(due(look("* * * * *", once, restarted(ran + 30 * second, ran)))).toEqual([])
  })

  it("F103: a clock that is a day ahead brings one run, and going back neither stalls nor repeats the future", () => {
    const real = at("2026-03-02T09:00:00Z")
    const ahead = real + day

    const forward = due(look("* * * * *", once, { now: ahead, last: real, since: real, awakeSince: ahead }))
    expect(forward.filter(({ _tag }) => _tag === "Run")).toEqual([{ _tag: "Run", scheduledAt: ahead, lateMillis: 0 }])
    expect(forward.filter(({ _tag }) => _tag === "Skip")).toHaveLength(1)

    const back = real + 30 * second
    const firstLook = { now: back, last: ahead, since: ahead, awakeSince: ahead }
    expect(due(look("* * * * *", once, firstLook))).toEqual([])

    const laterLook = { now: real + minute, last: ahead, since: real + 55 * second, awakeSince: ahead }
    expect(due(look("* * * * *", once, laterLook))).toEqual([
      { _tag: "Run", scheduledAt: real + minute, lateMillis: 0 }
    ])
  })

  it("F103: a job that was created on a clock that ran ahead is not held up by its creation", () => {
    const now = at("2025-06-01T12:00:00Z")

    const decided = due(look("every 10m", once, { now, last: null, since: now - 5 * second, awakeSince: now }))

    expect(decided).toEqual([{ _tag: "Run", scheduledAt: now, lateMillis: 0 }])
  })

  it("F104: each policy decides a weekend of being down in its own way, and says what it skipped", () => {
    const friday = at("2026-03-06T16:00:00Z")
    const sunday = at("2026-03-08T10:06:00Z")
    const weekly = (misfire: Job["misfire"]) => due(look("0 16 * * 5", misfire, restarted(sunday, friday - 7 * day)))
    const run = { _tag: "Run", scheduledAt: friday, lateMillis: sunday - friday }

    expect(weekly({ policy: "once", withinMillis: null })).toEqual([run])
    expect(weekly({ policy: "all", withinMillis: null })).toEqual([run])
    expect(weekly({ policy: "skip", withinMillis: null })).toEqual([
      { _tag: "Skip", scheduledAt: friday, reason: "missed while the gateway was down or asleep; misfire policy skip" }
    ])
    expect(weekly({ policy: "once", withinMillis: hour })).toEqual([
      { _tag: "Skip", scheduledAt: friday, reason: "later than misfire.within, 1h" }
    ])
  })

  it("F104: under `all` each missed occurrence within the limit runs, oldest first, and the older are one skip", () => {
    const now = at("2026-03-08T10:06:00Z")
    const decided = due(
      look("0 * * * *", { policy: "all", withinMillis: 2 * hour }, restarted(now, now - 6 * hour - 6 * minute))
    )

    expect(decided).toEqual([
      {
        _tag: "Skip",
        scheduledAt: at("2026-03-08T08:00:00Z"),
        reason: "later than misfire.within, 2h; 3 before it too, since 2026-03-08T05:00:00.000Z"
      },
      { _tag: "Run", scheduledAt: at("2026-03-08T09:00:00Z"), lateMillis: hour + 6 * minute },
      { _tag: "Run", scheduledAt: at("2026-03-08T10:00:00Z"), lateMillis: 6 * minute }
    ])
  })

  it("within the tolerance a start finds an occurrence simply late, whatever the policy", () => {
    const nine = at("2026-03-02T09:00:00Z")
    const skipping: Job["misfire"] = { policy: "skip", withinMillis: null }

    expect(due(look("0 9 * * *", skipping, restarted(nine + 60 * second, nine - day)))).toHaveLength(1)
    expect(due(look("0 9 * * *", skipping, restarted(nine + 60 * second, nine - day)))[0]?._tag).toBe("Run")
    expect(due(look("0 9 * * *", skipping, restarted(nine + 61 * second, nine - day)))[0]?._tag).toBe("Skip")
  })

  it.each(["once", "skip", "all"] as const)("a year of missed minutes is a bounded answer under %s", (policy) => {
    const now = created + 365 * day
    const started = performance.now()

    const decided = due(look("* * * * *", { policy, withinMillis: null }, restarted(now, null)))

    expect(decided.length).toBeLessThanOrEqual(mostRuns + 1)
    expect(decided[0]?._tag).toBe("Skip")
    expect(decided.at(-1)).toEqual({ _tag: "Run", scheduledAt: now, lateMillis: 0 })
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it("nothing is due before a job was created", () => {
    expect(due(look("0 0 1 1 *", once, restarted(created + minute, null)))).toEqual([])
    expect(due(look("every 30m", once, restarted(created + 29 * minute, null)))).toEqual([])
    expect(due(look("every 30m", once, restarted(created + 30 * minute, null)))).toHaveLength(1)
  })
})
