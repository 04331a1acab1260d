/** Durations as people write them. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Option } from "effect"
import * as duration from "../../src/domain/duration.ts"

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["15s", 15_000],
    ["10m", 600_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    [" 0s ", 0]
  ])("%s is read", (text, millis) => {
    expect(Option.map(duration.parse(text), Duration.toMillis)).toEqual(Option.some(millis))
  })

  it.each(["", "15", "s", "-1s", "1.5h", "1h30m", "15 s", "99999d", "1e3s"])("%j is none", (text) => {
    expect(duration.parse(text)).toEqual(Option.none())
  })

  it.each([
    [0, "0s"],
    [14, "14ms"],
    [90_000, "90s"],
    [3_600_000, "1h"],
    [86_400_000, "1d"]
  ])("%d ms is printed as %s, which reads back", (millis, text) => {
    const printed = duration.format(Duration.millis(millis))

    expect(printed).toBe(text)
    expect(Option.map(duration.parse(printed), Duration.toMillis)).toEqual(Option.some(millis))
  })
})
