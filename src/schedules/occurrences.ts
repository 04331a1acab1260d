/**
 * The instants of a timetable. Cron fields are looked up on the wall clock, and wall times become instants here: one
 * inside the gap of clocks that go forward is the gap's end; one that clocks going back repeat is its first instant, or
 * both for an expression that runs in real time. Pure.
 */
import { DateTime, Option } from "effect"
import type { Timetable } from "./timetable.ts"
import { nextWall, previousWall } from "./timetable.ts"

type Fields = Extract<Timetable, { readonly _tag: "Fields" }>

/** The first occurrence after an instant, in Unix milliseconds; none when there is no further one. */
export const next = (timetable: Timetable, after: number): Option.Option<number> => {
  switch (timetable._tag) {
    case "Once":
      return timetable.at > after ? Option.some(timetable.at) : Option.none()
    case "Every": {
      const { anchor, periodMillis } = timetable
      return Option.some(anchor + (Math.floor((after - anchor) / periodMillis) + 1) * periodMillis)
    }
    case "Fields":
      return nextOfFields(timetable, after)
  }
}

/** The newest occurrences in `(after, until]`, oldest first and at most `limit`, however many there are. */
export const newest = (
  timetable: Timetable,
  range: { readonly after: number; readonly until: number; readonly limit: number }
): ReadonlyArray<number> => {
  const found = first(timetable, range.after, range.until, range.limit + 1)
  if (found.length <= range.limit) return found
  // Years of minutes may lie between: go back from the end instead, by the limit and at most a repeated hour.
  const start = Math.max(range.after, startOf(timetable, range.until, range.limit))
  return first(timetable, start, range.until, Number.POSITIVE_INFINITY).slice(-range.limit)
}

/** The first occurrences in `(after, until]`. */
const first = (timetable: Timetable, after: number, until: number, limit: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = next(timetable, after); found.length < limit && Option.isSome(at); at = next(timetable, at.value)) {
    if (at.value > until) break
    found.push(at.value)
  }
  return found
}

/** An instant before the newest `count` occurrences up to `until`, and not much further back than it has to be. */
const startOf = (timetable: Timetable, until: number, count: number): number => {
  switch (timetable._tag) {
    case "Once":
      return timetable.at - 1
    case "Every":
      return until - count * timetable.periodMillis
    case "Fields": {
      // Wall times behind `until` repeat or skip at most what a change of clocks does: going on from the earliest finds all.
      let wall = wallOf(timetable.zone, until) + 1
      for (let i = 0; i < count; i++) wall = Option.getOrElse(previousWall(timetable.wall, wall), () => wall)
      return instantsOf(timetable.zone, wall).first - 1
    }
  }
}

const nextOfFields = ({ zone, wall, realTime }: Fields, after: number): Option.Option<number> => {
  const local = wallOf(zone, after)
  const firstAfter = (wallTime: number) =>
    Option.map(nextWall(wall, wallTime), (found) => instantsOf(zone, found).first)
  const fold = foldAt(zone, local)
  if (fold === null) return firstAfter(local)
  const repeating = after >= fold.at
  // The first time round has its instants and the second has none.
  if (!realTime) return firstAfter(repeating ? fold.untilWall - 1 : local)
  const inside = Option.filter(nextWall(wall, local), (found) => found < fold.untilWall)
  if (Option.isSome(inside))
    return Option.map(inside, (found) => instantsOf(zone, found)[repeating ? "second" : "first"])
  return repeating ? firstAfter(fold.untilWall - 1) : repeated(zone, nextWall(wall, fold.fromWall - 1), fold.untilWall)
}

/** A wall time of the second time round; past it, the ordinary one. */
const repeated = (zone: DateTime.TimeZone, wall: Option.Option<number>, untilWall: number): Option.Option<number> =>
  Option.map(wall, (found) => instantsOf(zone, found)[found < untilWall ? "second" : "first"])

const offsetAt = (zone: DateTime.TimeZone, instant: number): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(instant, { timeZone: zone }))

const wallOf = (zone: DateTime.TimeZone, instant: number): number => instant + offsetAt(zone, instant)

/** The instants of a wall time: two different ones where it is repeated, and the gap's end where it is left out. */
const instantsOf = (zone: DateTime.TimeZone, wall: number): { readonly first: number; readonly second: number } => {
  const [first, second] = readings(zone, wall)
  if (first === second || wallOf(zone, first) === wall) return { first, second }
  const end = changeBetween(zone, first, second)
  return { first: end, second: end }
}

const readings = (zone: DateTime.TimeZone, wall: number): readonly [first: number, second: number] => {
  const read = (disambiguation: "earlier" | "later") =>
    DateTime.toEpochMillis(DateTime.makeZonedUnsafe(wall, { timeZone: zone, adjustForTimeZone: true, disambiguation }))
  return [read("earlier"), read("later")]
}

/** The instant at which the offset changes, known to lie in `(before, after]`. */
const changeBetween = (zone: DateTime.TimeZone, before: number, after: number): number => {
  const old = offsetAt(zone, before)
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === old) low = middle
    else high = middle
  }
  return high
}

interface Fold {
  /** When the clocks go back. */
  readonly at: number
  /** The wall times that are repeated: from the first to before the last. */
  readonly fromWall: number
  readonly untilWall: number
}

/** The repeated stretch that a wall time lies in; null where it is not repeated. */
const foldAt = (zone: DateTime.TimeZone, wall: number): Fold | null => {
  const [first, second] = readings(zone, wall)
  if (first === second || wallOf(zone, first) !== wall) return null
  const at = changeBetween(zone, first, second)
  return { at, fromWall: wallOf(zone, at), untilWall: at + offsetAt(zone, first) }
}
