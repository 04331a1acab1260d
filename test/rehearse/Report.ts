/** What a scenario shows: log lines of the links, their timelines, who was answered, and what was measured against which bound. */
import { Effect } from "effect"
import type { Gateway, LogLine } from "../service.ts"

export interface Check {
  readonly what: string
  readonly holds: boolean
  readonly found: string
}

export interface Report {
  /** What must be so. */
  readonly check: (what: string, holds: boolean, found: unknown) => Effect.Effect<void>
  /** What may take so long and no longer. */
  readonly atMost: (what: string, millis: number, bound: number) => Effect.Effect<void>
  /** Prints what a gateway says of a platform: call it while it can still be asked. */
  readonly tell: (gateway: Gateway, platform: string) => Effect.Effect<void>
  readonly note: (text: string) => Effect.Effect<void>
  readonly checks: () => ReadonlyArray<Check>
}

const print = (label: string, text: string) => Effect.sync(() => console.log(`  ${label.padEnd(9)} ${text}`))

export const make = (): Report => {
  const checks: Array<Check> = []
  const check: Report["check"] = (what, holds, found) =>
    Effect.suspend(() => {
      checks.push({ what, holds, found: String(found) })
      return print(holds ? "ok" : "FALLS SHORT", `${what}: ${String(found)}`)
    })
  return {
    check,
    atMost: (what, millis, bound) => check(`${what}, at most ${seconds(bound)}`, millis <= bound, seconds(millis)),
    tell: (gateway, platform) =>
      Effect.gen(function* () {
        const lines = gateway.lines().filter((line) => line["platform"] === platform)
        yield* Effect.forEach(lines, (line) => print("log", lineOf(line)), { discard: true })
        const changes = (yield* timeline(gateway, platform)).toReversed()
        yield* Effect.forEach(changes, (change) => print("timeline", changeOf(change)), { discard: true })
      }),
    note: (text) => print("", text),
    checks: () => checks
  }
}

/** A change of a link's state, as the API tells it. */
export interface Change {
  readonly at: string
  readonly state: string
  readonly kind: string | null
  readonly message: string | null
  readonly nextAttemptAt: string | null
}

/** Newest first. */
export const timeline = (gateway: Gateway, platform: string): Effect.Effect<ReadonlyArray<Change>> =>
  // The API's own tests show what it answers.
  Effect.map(gateway.get(`/api/platforms/${platform}/timeline`), ({ json }) => json as ReadonlyArray<Change>)

const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`

const lineOf = ({ time, level, event, ...fields }: LogLine): string =>
  [time, level, event, ...Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(" ")

const changeOf = ({ at, state, kind, message, nextAttemptAt }: Change): string =>
  [at, state, kind, message, nextAttemptAt === null ? null : `next ${nextAttemptAt}`]
    .filter((part) => part !== null)
    .join(" · ")
