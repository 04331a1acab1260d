/** Since when the process is awake: the line between what was missed and what is late. */
import { expect, it } from "@effect/vitest"
import { advance, fresh } from "../../src/schedules/wakefulness.ts"

const minute = 60_000
const started = fresh({ wall: 1_000_000, elapsed: 0 })

it.each([
  ["looks in time", 5_000, 5_000, started.awakeSince],
  ["a loop that was blocked for four minutes is late, not asleep", 4 * minute, 4 * minute, started.awakeSince],
  ["a machine that slept: the wall clock went on alone", 8 * 60 * minute, 5_000, started.wall + 8 * 60 * minute],
  ["a process that was stopped for longer than any loop blocks", 6 * minute, 6 * minute, started.wall + 6 * minute],
  ["a time daemon that corrects by a second", 6_000, 5_000, started.awakeSince],
  ["a clock that was set back: what is to come is not past", -minute, 5_000, started.wall - minute]
])("%s", (_, wall, elapsed, awakeSince) => {
  expect(advance(started, { wall: started.wall + wall, elapsed }).awakeSince).toBe(awakeSince)
})
