/** What a new configuration changes in a gateway that runs. Pure. */
import { Duration, Predicate, Redacted } from "effect"
import type { Settings } from "../config/Settings.ts"
import type { Job } from "../domain/Job.ts"
import type { Reloaded } from "../http/Configuration.ts"

/** A value as a text in which secrets count and nothing else is hidden. It stays in memory. */
export const fingerprintOf = (value: unknown): string => JSON.stringify(plain(value))

const plain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return plain(Redacted.value(value))
  if (Duration.isDuration(value)) return Duration.toMillis(value)
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, plain(Reflect.get(value, key))])
  )
}

/** Everything that the gateway is built on, and so takes at its start alone. */
const fixed = (settings: Settings): { readonly [key: string]: unknown } => {
  const { platforms: _platforms, alarms: _alarms, jobs: _jobs, log, ...rest } = settings
  return { ...rest, "log.format": log.format }
}

/** The key paths that differ from what the gateway was built from. */
export const restartNeeded = (built: Settings, next: Settings): ReadonlyArray<string> =>
  differing(fixed(built), fixed(next), "")

const differing = (one: unknown, other: unknown, path: string): ReadonlyArray<string> => {
  if (fingerprintOf(one) === fingerprintOf(other)) return []
  if (!isSection(one) || !isSection(other)) return [path]
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return Array.from(keys).flatMap((key) => differing(one[key], other[key], path === "" ? key : `${path}.${key}`))
}

const isSection = (value: unknown): value is { readonly [key: string]: unknown } =>
  Predicate.isObject(value) && !Redacted.isRedacted(value) && !Duration.isDuration(value)

/** Of a job all but when it was read first. */
const timeless = (job: Job | undefined): string => fingerprintOf(job === undefined ? null : { ...job, createdAt: 0 })

/** By id. */
export const jobChanges = (before: ReadonlyArray<Job>, after: ReadonlyArray<Job>): Reloaded["cron"] => {
  const [old, now] = [before, after].map((jobs) => new Map(jobs.map((job) => [String(job.id), job])))
  const ids = after.map(({ id }) => String(id))
  return {
    added: ids.filter((id) => old?.has(id) !== true),
    removed: before.map(({ id }) => String(id)).filter((id) => now?.has(id) !== true),
    changed: ids.filter((id) => old?.has(id) === true && timeless(old.get(id)) !== timeless(now?.get(id)))
  }
}
