/** How alarms are paced: what belongs together is one message, and a road that refuses is asked again, not for ever. */
import { Duration, Schedule } from "effect"

/** What happens within this is one message. */
export const together = Duration.seconds(10)

/** No road is told more often than once in this. */
export const apart = Duration.minutes(1)

/** Of one try. */
export const patience = Duration.seconds(10)

const times = 5

/** 2, 4, 8, 16, 32 s. */
export const again: Schedule.Schedule<unknown> = Schedule.max([
  Schedule.exponential(Duration.seconds(2), 2),
  Schedule.recurs(times)
])

/** All tries of one message and the waits between them take no longer. */
export const atMost = Duration.sum(Duration.minutes(2), Duration.times(patience, times + 1))
