/** When a message that was not taken is tried again, and how fast an account and a chat may speak. */
import { Duration, Effect, Random, Schedule } from "effect"
import type { Rate } from "../platforms/Platform.ts"

/** 1 s, doubling up to a minute, ± half: outages pass, and an expiry ends what does not. */
export const delivery: Schedule.Schedule<unknown> = Schedule.min([
  Schedule.exponential(Duration.seconds(1), 2),
  Schedule.spaced(Duration.minutes(1))
]).pipe(
  Schedule.modifyDelay(({ duration }) =>
    Effect.map(Random.nextBetween(0.5, 1.5), (share) =>
      Duration.millis(Math.round(Duration.toMillis(duration) * share))
    )
  )
)

/** The sends of late, as much as the rates need. Times are monotonic milliseconds, oldest first. */
export type Sent = ReadonlyArray<number>

/** How long the next send has to wait. */
export const paceMillis = (rates: ReadonlyArray<Rate>, sent: Sent, now: number): number =>
  rates.reduce((wait, rate) => {
    const before = sent.at(-rate.sends)
    return before === undefined ? wait : Math.max(wait, before + Duration.toMillis(rate.per) - now)
  }, 0)

/** The record with one more send in it, bounded by what the rates look back at. */
export const withSend = (rates: ReadonlyArray<Rate>, sent: Sent, at: number): Sent => {
  const most = rates.reduce((count, rate) => Math.max(count, rate.sends), 0)
  return most === 0 ? [] : [...sent, at].slice(-most)
}
