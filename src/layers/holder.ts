/** Who holds a lock, as it is written down, and whether that process still lives. */
import type { Option } from "effect"
import { Effect, Predicate, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { hostname } from "node:os"
import { makeUlid } from "../domain/Turn.ts"
import { Managed } from "./managed.ts"

/** What has to be known of a gateway to end it. */
export const Running = Schema.Struct({
  /** Null where nobody starts it again. */
  managed: Schema.NullOr(Managed),
  /** How long its stop may take. */
  stopMillis: Schema.Finite
})
export type Running = typeof Running.Type

export const Holder = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  host: Schema.NonEmptyString,
  /** Tells the process from a later one with its number; null where the system does not say. */
  started: Schema.NullOr(Schema.String),
  /** Tells this claim from every other. */
  claim: Schema.NonEmptyString,
  /** The home that it runs in, or writes to. */
  home: Schema.optionalKey(Schema.String),
  /** When it took over from another by `run --replace`, in Unix milliseconds. */
  replacedAt: Schema.optionalKey(Schema.Int),
  /** In the lock of a home; absent where no gateway runs there, but a command holds it for a moment. */
  gateway: Schema.optionalKey(Running)
})
export type Holder = typeof Holder.Type

/** What is said of itself by who takes a lock. */
export type Facts = Pick<Holder, "home" | "replacedAt" | "gateway">

/** None of what is no lock of ours: empty, cut, or anything else. Ours appear whole. */
export const parse: (text: string) => Option.Option<Holder> = Schema.decodeUnknownOption(Schema.fromJsonString(Holder))

/** This process, by a new claim. */
export const self = (facts: Facts): Effect.Effect<Holder> =>
  Effect.map(makeUlid, (claim) => ({
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
    claim,
    ...facts
  }))

/** Whether it is of this machine, where its process can be seen. */
export const isHere = ({ host }: Holder): boolean => host === hostname()

/** Of another host nothing can be known here: its holder counts as alive. */
export const isAlive = (holder: Holder): boolean => {
  if (!isHere(holder)) return true
  if (!exists(holder.pid)) return false
  const started = startOf(holder.pid)
  return started === null || holder.started === null || started === holder.started
}

const hasProc = existsSync("/proc/self/stat")

/** When the process began, as a text that no later process with its number has; null where the system does not say. */
const startOf = (pid: number): string | null => (hasProc ? startInProc(pid) : startByPs(pid))

const read = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // No such process any more: there is nothing to be told.
    return null
  }
}

/** The boot and the tick at which it began. A zombie began never: it holds nothing. */
const startInProc = (pid: number): string | null => {
  const boot = read("/proc/sys/kernel/random/boot_id")
  const stat = read(`/proc/${pid}/stat`)
  if (boot === null || stat === null) return null
  // The name, in brackets, may hold anything; after it come the state and, as the 20th, the start.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields[0] === "Z" ? "never" : `${boot.trim()}/${fields[19]}`
}

const psPatienceMillis = 2_000

/** To the second, and in one zone and language whoever asks. */
const startByPs = (pid: number): string | null => {
  try {
    const options = {
      encoding: "utf8",
      timeout: psPatienceMillis,
      env: { ...process.env, LC_ALL: "C", TZ: "UTC" }
    } as const
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], options).trim() || null
  } catch {
    // Neither /proc nor `ps`: the number alone has to do.
    return null
  }
}

/** Signal 0 is delivered to nobody; EPERM says that somebody else's process is there. */
const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return Predicate.hasProperty(error, "code") && error.code === "EPERM"
  }
}
