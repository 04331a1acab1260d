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

/**
 * The crashes that still count, one more among them. Past its intensity a part stays past it until one of its lives was
 * longer than `within`. Times are milliseconds of one clock, oldest first.
 */
export const withCrash = (
  crashes: ReadonlyArray<number>,
  crash: { readonly at: number; readonly livedMillis: number },
  limit: Intensity
): ReadonlyArray<number> => {
  const within = Duration.toMillis(limit.within)
  if (crash.livedMillis >= within) return [crash.at]
  const isPast = crashes.length > limit.times
  return (isPast ? crashes : crashes.filter((at) => crash.at - at < within)).concat(crash.at).slice(-limit.times - 1)
}

/** The wait before the next start; null when the crashes are past the intensity. */
export const restartDelay = (crashes: ReadonlyArray<number>, limit: Intensity): Duration.Duration | null =>
  crashes.length > limit.times ? null : Duration.millis(Math.min(100 * 2 ** (crashes.length - 1), 5_000))
