/** Who holds a lock, as it is written down, and whether that process still lives. */
import type { Option } from "effect"
import { Effect, Predicate, Schema } from "effect"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { makeUlid } from "../domain/Turn.ts"

export const Holder = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  host: Schema.NonEmptyString,
  /** Tells the process from a later one with its number; null where the system does not say. */
  started: Schema.NullOr(Schema.String),
  /** Tells this claim from every other. */
  claim: Schema.NonEmptyString,
  /** The home of the gateway that holds it. */
  home: Schema.optionalKey(Schema.String),
  /** The service manager that would start it again. */
  manager: Schema.optionalKey(Schema.String),
  /** When it took over from another by `run --replace`, in Unix milliseconds. */
  replacedAt: Schema.optionalKey(Schema.Int)
})
export type Holder = typeof Holder.Type

/** None of what is no lock of ours: empty, cut, or anything else. Ours appear whole. */
export const parse: (text: string) => Option.Option<Holder> = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

/** What a gateway says of itself in the locks that it takes. */
export type Facts = Pick<Holder, "home" | "replacedAt">

/** Who would start this process again: what the unit says, else what systemd leaves in every process of its own. */
const manager = process.env["EVERGATE_MANAGER"] ?? (process.env["INVOCATION_ID"] === undefined ? undefined : "systemd")

/** This process, by a new claim. */
export const self = (facts: Facts): Effect.Effect<Holder> =>
  Effect.map(makeUlid, (claim) => ({
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
    claim,
    ...(manager === undefined ? {} : { manager }),
    ...facts
  }))

/** It runs on this machine. */
export const isHere = ({ host }: Holder): boolean => host === hostname()

/** Of another host nothing can be known here: its holder counts as alive. */
export const isAlive = (holder: Holder): boolean => {
  if (!isHere(holder)) return true
  if (!exists(holder.pid)) return false
  const started = startOf(holder.pid)
  return started === null || holder.started === null || started === holder.started
}

const read = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // No such process, or no /proc on this system: either way there is nothing to be told.
    return null
  }
}

/** The boot and the tick at which the process began; null where /proc does not say. A zombie began never: it holds nothing. */
const startOf = (pid: number): string | null => {
  const boot = read("/proc/sys/kernel/random/boot_id")
  const stat = read(`/proc/${pid}/stat`)
  if (boot === null || stat === null) return null
  // The name, in brackets, may hold anything; after it come the state and, as the 20th, the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" ? "never" : `${boot.trim()}/${fields[19]}`
}

/** Signal 0 is delivered to nobody; EPERM says that somebody else's process is there. */
const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return Predicate.hasProperty(error, "code") && error.code === "EPERM"
  }
}
