/** What a simulation writes down: its steps, how often each fault came, and the first law that was broken. */
import { iso } from "../../domain/instant.ts"
import type { VirtualTime } from "./virtualTime.ts"

/** What holds at every moment, or once faults have ended. A failure names one of them. */
export type Law =
  | "time goes on"
  | "acknowledged is kept"
  | "sent is kept"
  | "sent once"
  | "sent in order"
  | "answered once"
  | "a dead letter has its reason"
  | "nothing waits for ever"
  | "one turn at a time"
  | "turns in order"
  | "one attempt at a time"
  | "two links at most"
  | "backoff outlives an opening"
  | "silence is noticed"
  | "connected again"
  | "no attempt after a stop"
  | "a stop is bounded"
  | "a stop leaves nothing"
  | "cron is decided once"
  | "cron skips nothing"
  | "cron is on time"

export interface Broken {
  readonly law: Law
  readonly detail: string
  /** Virtual milliseconds since the beginning. */
  readonly at: number
}

export interface Book {
  /** The next of the numbers that tell messages apart. */
  readonly number: () => number
  readonly numbered: () => number
  readonly note: (step: string) => void
  /** Only the first one counts: what follows from it says nothing new. */
  readonly violate: (law: Law, detail: string) => void
  readonly broken: () => Broken | null
  readonly count: (fault: string) => void
  readonly counts: () => ReadonlyMap<string, number>
  /** The last steps, oldest first. */
  readonly steps: () => ReadonlyArray<string>
  /** Of all steps: two courses with the same one are the same. */
  readonly fingerprint: () => number
}

const keptSteps = 60

export const makeBook = (time: VirtualTime): Book => {
  const steps: Array<string> = []
  const counts = new Map<string, number>()
  let broken: Broken | null = null
  let fingerprint = 0
  let numbered = 0

  return {
    number: () => ++numbered,
    numbered: () => numbered,
    note: (step) => {
      const line = `${(time.elapsed() / 1000).toFixed(3)} s (${iso(Math.floor(time.wall()))}): ${step}`
      for (let i = 0; i < line.length; i++) fingerprint = (Math.imul(fingerprint, 31) + line.charCodeAt(i)) | 0
      steps.push(line)
      if (steps.length > keptSteps) steps.shift()
    },
    violate: (law, detail) => {
      broken ??= { law, detail, at: time.elapsed() }
    },
    broken: () => broken,
    count: (fault) => void counts.set(fault, (counts.get(fault) ?? 0) + 1),
    counts: () => counts,
    steps: () => Array.from(steps),
    fingerprint: () => fingerprint
  }
}
