/**
 * Notices that the configuration's files changed. It looks at them, since notices of changes do not cross every mount and an
 * editor puts a new file in the old one's place; and it waits until they are still, so that several writes are one change.
 */
import { Duration, Effect } from "effect"

const every = Duration.seconds(1)

/** Runs for ever: `tell` for each change that has been still for a second. `look` gives all that the files say. */
export const watch = (look: Effect.Effect<string>, tell: Effect.Effect<void>, alive: Effect.Effect<void>) =>
  Effect.gen(function* () {
    let told = yield* look
    let seen = told
    while (true) {
      yield* alive
      yield* Effect.sleep(every)
      const text = yield* look
      const isStill = text === seen
      seen = text
      if (!isStill || text === told) continue
      told = text
      yield* tell
    }
  })
