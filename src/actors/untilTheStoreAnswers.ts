/** What a lane or a session does when the store fails: it says so and asks again, since what it has in hand must not be lost. */
import { Effect, Schedule } from "effect"
import type { StoreError } from "../domain/Errors.ts"

const everySecond = Schedule.spaced("1 second")

/** Asks every second, without end but that of its scope. `what` names who waits, for the log. */
export const untilTheStoreAnswers =
  (what: string) =>
  <A>(effect: Effect.Effect<A, StoreError>): Effect.Effect<A> =>
    effect.pipe(
      Effect.tapError((error) =>
        Effect.logError(`${what} waits for the store`).pipe(Effect.annotateLogs({ error: error.message }))
      ),
      Effect.retry(everySecond),
      // The schedule has no end, so no error comes through.
      Effect.orDie
    )
