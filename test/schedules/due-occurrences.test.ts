/** When a schedule is due: the forms that are taken, the ones refused, and both edges of a change of clocks. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import { newest, next } from "../../src/schedules/occurrences.ts"
import type { Timetable } from "../../src/schedules/timetable.ts"
import { parse } from "../../src/schedules/timetable.ts"

const at = (text: string): number => Date.parse(text)
const iso = (instant: number): string => DateTime.formatIso(DateTime.makeUnsafe(instant)).replace(".000Z", "Z")

const timetable = (schedule: string, timezone = "UTC", createdAt = 0): Timetable =>
  Result.getOrThrow(parse({ schedule, timezone, createdAt }))

const sequence = (schedule: string, timezone: string, after: string, count: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let instant = at(after)
  while (found.length < count) {
    instant = Option.getOrThrow(next(timetable(schedule, timezone), instant))
    found.push(iso(instant))
  }
  return found
}

describe("parse", () => {
  it.each([
    ["@reboot", "there is no macro @reboot"],
    ["@every 5m", "there is no macro @every 5m"],
    ["0 0 L * *", 'the field "L" is an extension'],
    ["0 0 * * 5L", 'the field "5L" is an extension'],
    ["0 0 * * 5#3", 'the field "5#3" is an extension'],
    ["0 0 ? * *", 'the field "?" is an extension'],
    ["0 0 15W * *", 'the field "15W" is an extension'],
    ["0 0 30 2 *", "no date ever matches it"],
    ["61 * * * *", 'Expected a value between 0 and 59 in "61"'],
    ["* * *", "this is no schedule"],
    ["every banana", "`every` wants a duration"],
    ["every 0s", "`every` wants a duration"],
    ["2026-01-01", "this is no complete instant"],
    ["2026-02-31T09:00:00Z", "this is no complete instant"],
    ["2026-01-01T09:00:00", "this is no complete instant"]
  ])("refuses %s by name", (schedule, found) => {
    const refused = Result.flip(parse({ schedule, timezone: "UTC", createdAt: 0 }))

    const error = Result.getOrThrow(refused)
    expect(error.message).toContain(schedule)
    expect(error.message).toContain(found)
    expect(error.hint).not.toBe("")
  })

  it.each(["+1m", "banana"])("F093: %s is refused instead of kept without a next run", (schedule) => {
    expect(Result.isFailure(parse({ schedule, timezone: "UTC", createdAt: 0 }))).toBe(true)
  })

  it("F093: a one-shot has its next run until it is over", () => {
    const oneShot = timetable("2026-12-01T09:00:00+08:00")

    expect(next(oneShot, at("2026-12-01T00:59:59Z"))).toEqual(Option.some(at("2026-12-01T01:00:00Z")))
    expect(next(oneShot, at("2026-12-01T01:00:00Z"))).toEqual(Option.none())
  })

  it("refuses a time zone that does not exist", () => {
    const refused = parse({ schedule: "@daily", timezone: "Mars/Olympus", createdAt: 0 })

    expect(Result.getOrThrow(Result.flip(refused)).found).toContain("Mars/Olympus")
  })

  it.each([
    ["@yearly", "2027-01-01T00:00:00Z"],
    ["@annually", "2027-01-01T00:00:00Z"],
    ["@monthly", "2026-07-01T00:00:00Z"],
    ["@weekly", "2026-06-21T00:00:00Z"],
    ["@daily", "2026-06-16T00:00:00Z"],
    ["@midnight", "2026-06-16T00:00:00Z"],
    ["@hourly", "2026-06-15T13:00:00Z"],
    ["30 8 * JUL MON", "2026-07-06T08:30:00Z"],
    ["*/10 * * * * *", "2026-06-15T12:00:10Z"]
  ])("takes %s", (schedule, expected) => {
    expect(sequence(schedule, "UTC", "2026-06-15T12:00:00Z", 1)).toEqual([expected])
  })
})

describe("next", () => {
  it("F097: nine o'clock on weekdays stays nine o'clock when the clocks change", () => {
    expect(sequence("0 9 * * 1-5", "Europe/Berlin", "2026-10-23T07:00:00Z", 1)).toEqual(["2026-10-26T08:00:00Z"])
    expect(sequence("0 9 * * 1-5", "Europe/Berlin", "2027-03-26T08:00:00Z", 1)).toEqual(["2027-03-29T07:00:00Z"])
  })

  it("F099: a time inside the gap runs once, right after it, and then daily again", () => {
    const started = performance.now()

    expect(sequence("30 2 * * *", "Europe/Amsterdam", "2023-03-25T11:00:00Z", 3)).toEqual([
      "2023-03-26T01:00:00Z",
      "2023-03-27T00:30:00Z",
      "2023-03-28T00:30:00Z"
    ])
    expect(performance.now() - started).toBeLessThan(100)
  })

  it("F099: several times inside the gap are one run at its end, beside those after it", () => {
    expect(sequence("*/20 2,3 * * *", "Europe/Amsterdam", "2023-03-25T12:00:00Z", 4)).toEqual([
      "2023-03-26T01:00:00Z",
      "2023-03-26T01:20:00Z",
      "2023-03-26T01:40:00Z",
      "2023-03-27T00:00:00Z"
    ])
  })

  it("F100: every minute runs every real minute when the clocks go back", () => {
    const minutes = sequence("* * * * *", "Europe/Brussels", "2018-10-27T23:59:00Z", 180)

    expect(minutes[0]).toBe("2018-10-28T00:00:00Z")
    expect(minutes.at(-1)).toBe("2018-10-28T02:59:00Z")
    expect(new Set(minutes).size).toBe(180)
  })

  it.each([
    ["30 * * * *", ["2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]],
    ["30 */2 * * *", ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T03:30:00Z"]],
    ["30 2 * * *", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]],
    ["*/30 2-3 * * *", ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:30:00Z"]]
  ])("clocks going back: %s", (schedule, expected) => {
    expect(sequence(schedule, "Europe/Berlin", "2026-10-24T23:00:00Z", expected.length)).toEqual(expected)
  })

  it("an ordinary expression that is looked at in the second time round waits for what follows it", () => {
    expect(sequence("*/20 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1)).toEqual(["2026-10-26T01:00:00Z"])
  })

  it("a change of half an hour and one at midnight go by the same rule", () => {
    expect(sequence("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 2)).toEqual([
      "2026-10-03T15:30:00Z",
      "2026-10-04T15:15:00Z"
    ])
    expect(sequence("@daily", "America/Asuncion", "2023-09-30T12:00:00Z", 2)).toEqual([
      "2023-10-01T04:00:00Z",
      "2023-10-02T03:00:00Z"
    ])
  })

  it("F101: the zone of the job decides, not the one of the process", () => {
    expect(sequence("0 9 * * *", "Asia/Shanghai", "2026-06-15T12:00:00Z", 2)).toEqual([
      "2026-06-16T01:00:00Z",
      "2026-06-17T01:00:00Z"
    ])
  })

  it("`every` counts from the creation of the job, not from when somebody looks", () => {
    const every = timetable("every 30m", "UTC", at("2026-06-15T12:07:00Z"))

    expect(next(every, at("2026-06-15T12:07:00Z"))).toEqual(Option.some(at("2026-06-15T12:37:00Z")))
    expect(next(every, at("2026-06-15T13:36:59Z"))).toEqual(Option.some(at("2026-06-15T13:37:00Z")))
  })
})

describe("newest", () => {
  it.each([
    ["* * * * *", "UTC"],
    ["30 2 * * *", "Europe/Berlin"],
    ["30 */2 * * *", "Europe/Berlin"],
    ["*/7 1-3 * * *", "Europe/Berlin"],
    ["every 7m", "UTC"]
  ])("%s in %s: going back from the end finds what going forward finds", (schedule, zone) => {
    const after = at("2026-10-20T12:00:00Z")
    const whole = timetable(schedule, zone)

    for (const until of [
      "2026-10-25T00:45:00Z",
      "2026-10-25T01:15:00Z",
      "2026-10-25T01:00:00Z",
      "2026-10-25T03:00:00Z"
    ]) {
      const all = newest(whole, { after, until: at(until), limit: 10_000 })

      for (const limit of [1, 2, 5]) {
        expect(newest(whole, { after, until: at(until), limit }).map(iso)).toEqual(all.slice(-limit).map(iso))
      }
    }
  })
})
