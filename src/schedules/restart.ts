/** How often a crashed part may be started again: an intensity, in the way of Erlang's supervisors. */
import { Duration } from "effect"

/** More than `times` crashes within `within` are past it. */
export interface Intensity {
  readonly times: number
  readonly within: Duration.Duration
}

export const intensity: Intensity = { times: 5, within: Duration.minutes(1) }

/** The wait before a part that is past its intensity is tried again, where it may be. */
export const slowRestart = Duration.minutes(5)

/** The crashes that still count. Times are milliseconds of one clock, oldest first. */
export const recentCrashes = (crashes: ReadonlyArray<number>, now: number, limit: Intensity): ReadonlyArray<number> =>
  crashes.filter((at) => now - at < Duration.toMillis(limit.within)).slice(-limit.times - 1)

/** The wait before the next start; null when the crashes are past the intensity. */
export const restartDelay = (crashes: ReadonlyArray<number>, limit: Intensity): Duration.Duration | null =>
  crashes.length > limit.times ? null : Duration.millis(Math.min(100 * 2 ** (crashes.length - 1), 5_000))
