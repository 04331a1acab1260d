/**
 * Finds out that the store takes writes again. What failed was told by whoever wrote; but when nobody writes, one failure
 * that has long passed would be the last word in the status.
 */
import { Duration, Effect, Exit, Layer } from "effect"
import { Database } from "../store/Database.ts"
import { probe } from "../store/probe.ts"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"

const every = Duration.seconds(5)
const progressWithin = Duration.minutes(1)

/** Writes nothing while the last write went well. */
export const layer: Layer.Layer<never, never, Database | Supervision> = Layer.effectDiscard(
  Effect.gen(function* () {
    const database = yield* Database
    yield* supervise("store probe", { progressWithin, past: "exit" })((progress) =>
      Effect.gen(function* () {
        while (true) {
          yield* progress(progressWithin)
          yield* Effect.sleep(every)
          if (yield* database.takesWrites) continue
          const probed = yield* Effect.exit(probe(database))
          if (Exit.isSuccess(probed)) yield* Effect.logInfo("the store takes writes again")
        }
      })
    )
  })
)
