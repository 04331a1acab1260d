/** The same line at most once in ten seconds, then with how often it was repeated; a link's life is always shown. */
import type { LogEntry } from "./logText.ts"

const windowMillis = 10_000
/** Different lines that are watched; past it the oldest is told and forgotten. */
const mostWatched = 200

/** The lines that a link's life shows as: `actors/linkLog` writes them. */
const lifeOfALink = new Set(["connecting", "connected", "disconnected", "reconnecting", "stopped"])

interface Watched {
  readonly entry: LogEntry
  readonly since: number
  held: number
}

export interface Repeats {
  /** What is to be written, now that this was logged. */
  readonly take: (entry: LogEntry) => ReadonlyArray<LogEntry>
  /** What is still held, at the end. */
  readonly rest: (now: number) => ReadonlyArray<LogEntry>
}

/** Needs no timer: what is held is told at the first line after its time, and one is never far. */
export const makeRepeats = (): Repeats => {
  const watched = new Map<string, Watched>()

  const settle = (key: string, { entry, held }: Watched, now: number): ReadonlyArray<LogEntry> => {
    watched.delete(key)
    if (held === 0) return []
    watched.set(key, { entry, since: now, held: 0 })
    return [repeated(entry, held, now)]
  }

  /** Those whose time is over; on a clock that was set, all of another time. */
  const settleOver = (now: number) =>
    Array.from(watched).flatMap(([key, one]) =>
      Math.abs(now - one.since) >= windowMillis ? settle(key, one, now) : []
    )

  const evict = (now: number): ReadonlyArray<LogEntry> => {
    const [oldest] = watched
    if (watched.size <= mostWatched || oldest === undefined) return []
    watched.delete(oldest[0])
    return oldest[1].held === 0 ? [] : [repeated(oldest[1].entry, oldest[1].held, now)]
  }

  return {
    take: (entry) => {
      if (lifeOfALink.has(entry.event)) return [entry]
      const over = settleOver(entry.at)
      const key = keyOf(entry)
      const known = watched.get(key)
      if (known !== undefined) {
        known.held++
        return over
      }
      watched.set(key, { entry, since: entry.at, held: 0 })
      return [...over, entry, ...evict(entry.at)]
    },
    rest: (now) =>
      Array.from(watched.values()).flatMap(({ entry, held }) => (held === 0 ? [] : [repeated(entry, held, now)]))
  }
}

const keyOf = ({ level, event, fields }: LogEntry): string => JSON.stringify([level, event, fields])

const repeated = (entry: LogEntry, held: number, at: number): LogEntry => ({
  ...entry,
  at,
  fields: [...entry.fields, ["repeated", held]]
})
