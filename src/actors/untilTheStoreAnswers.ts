/** What a lane or a session does when the store fails: it says so and asks again, since what it has in hand must not be lost. */
import { Duration, Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"

const pause = Duration.seconds(1)

/**
 * Asks every second, without end but that of its scope. `what` names who waits, for the log. Not `Effect.retry`, which
 * starts a schedule before the first failure: this stands on every message's way.
 */
export const untilTheStoreAnswers =
  (what: string) =>
  <A>(effect: Effect.Effect<A, StoreError>): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.logError(`${what} waits for the store`).pipe(
        Effect.annotateLogs({ error: error.message }),
        Effect.andThen(Effect.sleep(pause)),
        Effect.andThen(untilTheStoreAnswers(what)(effect))
      )
    )
