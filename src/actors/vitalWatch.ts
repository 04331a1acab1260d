/** Looks at the process's vital signs, and says once that one is bad, and once that it is well again. */
import { Duration, Effect, Layer } from "effect"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"
import type { Ailment, AilmentLimits, AilmentMemory } from "./ailments.ts"
import { defaultLimits, examine, nothingSeen } from "./ailments.ts"
import { Vitals } from "./Vitals.ts"

const every = Duration.seconds(10)
const progressWithin = Duration.minutes(1)

export const layer = (limits: AilmentLimits = defaultLimits): Layer.Layer<never, never, Supervision> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const vitals = yield* Vitals
      yield* supervise("vitals", { progressWithin, past: "slow" })((progress) =>
        Effect.gen(function* () {
          let memory: AilmentMemory = nothingSeen
          while (true) {
            yield* progress(progressWithin)
            yield* Effect.sleep(every)
            const signs = yield* vitals.read
            if (signs === null) continue
            const found = examine(memory, signs, limits)
            yield* Effect.forEach(found.raised, tell, { discard: true })
            yield* Effect.forEach(found.cleared, tellEnd, { discard: true })
            memory = found.memory
          }
        })
      )
    })
  )

const tell = ({ what, fields, hint }: Ailment) => Effect.logWarning(what).pipe(Effect.annotateLogs({ ...fields, hint }))

const tellEnd = (what: Ailment["what"]) => Effect.logInfo(`no longer: ${what}`)
