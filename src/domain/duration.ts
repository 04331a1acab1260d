/** Durations as people write them in settings and schedules: one number and one unit, such as `15s`, `10m`, `24h`, `7d`. */
import { Duration, Option } from "effect"

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Ten years: what is longer is a slip of the pen, and still far from where numbers of milliseconds turn inexact. */
export const longest = Duration.days(3_650)

/** None when the text is not a duration, or one longer than `longest`. */
export const parse = (text: string): Option.Option<Duration.Duration> => {
  const match = /^(\d{1,15})(ms|s|m|h|d)$/.exec(text.trim())
  const millis = Number(match?.[1]) * (unitMillis[match?.[2] ?? ""] ?? Number.NaN)
  return millis <= Duration.toMillis(longest) ? Option.some(Duration.millis(millis)) : Option.none()
}

/** In the largest unit that says it exactly. */
export const format = (duration: Duration.Duration): string => {
  const millis = Math.round(Duration.toMillis(duration))
  const [unit, size] = Object.entries(unitMillis).findLast(([, size]) => millis !== 0 && millis % size === 0) ?? [
    "s",
    1
  ]
  return `${millis / size}${unit}`
}
