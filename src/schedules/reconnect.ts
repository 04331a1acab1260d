/**
 * When a link that failed is tried again: the contract's table of kinds as data, and one schedule that obeys it.
 * `judge` sorts a failure; `reconnect` turns the verdicts of one epoch into waits. Nothing is given up for ever.
 */
import { Duration, Effect, Random, Schedule } from "effect"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import type { Retry } from "../domain/LinkSettings.ts"
import { intensity } from "./restart.ts"

/** A failure, judged: the state that it leads to and the wait that it asks for. */
export interface Setback {
  readonly reason: LinkErrorReason
  readonly state: "backoff" | "failed"
  readonly wait: Wait
}

export type Wait =
  /** By `link.retry`, but no sooner than the floor. */
  | { readonly _tag: "ByRetry"; readonly floorMillis: number }
  /** Drawn evenly from a range, whatever the backoff says. */
  | { readonly _tag: "Between"; readonly leastMillis: number; readonly mostMillis: number }

/** What the verdict depends on beside the failure itself. Times are monotonic milliseconds. */
export interface History {
  readonly conflictAt: number | null
  readonly defectsAt: ReadonlyArray<number>
  /** Since when the platform refuses settings, without a connection in between. */
  readonly refusedSince: number | null
}

export const noHistory: History = { conflictAt: null, defectsAt: [], refusedSince: null }

const slowly: Wait = { _tag: "Between", leastMillis: 300_000, mostMillis: 300_000 }
const byRetry = (floorMillis = 0): Wait => ({ _tag: "ByRetry", floorMillis })
const conflictAgainMillis = 300_000
const graceOfProvedMillis = 120_000

/** `proved`: these settings have connected before. */
export const judge = (
  reason: LinkErrorReason,
  history: History,
  proved: boolean,
  now: number
): readonly [Setback, History] => {
  switch (reason._tag) {
    case "ConnectionLimit":
      return [
        { reason, state: "backoff", wait: byRetry(Math.max(60_000, reason.retryAfterMillis ?? 0)) },
        { ...history, refusedSince: null }
      ]
    case "Conflict": {
      const again = history.conflictAt !== null && now - history.conflictAt < conflictAgainMillis
      const setback: Setback = again
        ? { reason, state: "failed", wait: slowly }
        : { reason, state: "backoff", wait: { _tag: "Between", leastMillis: 30_000, mostMillis: 60_000 } }
      return [setback, { ...history, conflictAt: now }]
    }
    case "Auth":
    case "Setup": {
      // Login services have outages too: what has worked before gets two minutes of ordinary retries.
      const refusedSince = history.refusedSince ?? now
      const patient = proved && now - refusedSince < graceOfProvedMillis
      const setback: Setback = patient
        ? { reason, state: "backoff", wait: byRetry() }
        : { reason, state: "failed", wait: slowly }
      return [setback, { ...history, refusedSince }]
    }
    case "Defect": {
      const tooMany = (defects: ReadonlyArray<number>) => defects.length >= intensity.times
      const recent = history.defectsAt.filter((at) => now - at < Duration.toMillis(intensity.within))
      // Once there were too many it stays slow, until a link was stable and its history is forgotten.
      const defectsAt = [...(tooMany(history.defectsAt) ? history.defectsAt : recent), now].slice(-intensity.times)
      const wait = tooMany(defectsAt) ? slowly : byRetry()
      return [
        { reason, state: "backoff", wait },
        { ...history, defectsAt }
      ]
    }
    case "Bootstrap":
    case "HandshakeRejected":
      return [{ reason, state: "backoff", wait: byRetry(reason.retryAfterMillis ?? 0) }, history]
    default:
      return [{ reason, state: "backoff", wait: byRetry() }, history]
  }
}

const waitFor = Effect.fnUntraced(function* (wait: Wait, retry: Retry, backoff: Duration.Duration) {
  switch (wait._tag) {
    case "Between":
      return Duration.millis(yield* Random.nextIntBetween(wait.leastMillis, wait.mostMillis))
    case "ByRetry": {
      // `Schedule.jittered` is ± 20 %; full jitter spreads clients that lost one server over the whole wait.
      const share = retry.jitter === "full" ? yield* Random.next : 1
      return Duration.millis(Math.round(Math.max(wait.floorMillis, Duration.toMillis(backoff) * share)))
    }
  }
})

/**
 * The waits of one epoch: `first` once, then `base` growing by `factor` up to `max`. A schedule has no reset: a link that
 * was stable begins a new one.
 */
export const reconnect = (retry: Retry): Schedule.Schedule<unknown, Setback> =>
  Schedule.concat(
    Schedule.max([Schedule.spaced(retry.first), Schedule.recurs(1)]),
    Schedule.min([Schedule.exponential(retry.base, retry.factor), Schedule.spaced(retry.max)])
  ).pipe(
    Schedule.setInputType<Setback>(),
    Schedule.modifyDelay(({ duration, input }) => waitFor(input.wait, retry, duration))
  )
