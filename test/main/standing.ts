/** A gateway whose ticker waits for its store for ever, as a process: what the watchdog does about it is seen from outside. */
import { Console, Duration, Effect, Layer } from "effect"
import { Supervision } from "../../src/actors/Supervision.ts"
import { Watchdog } from "../../src/actors/Watchdog.ts"
import * as Echo from "../../src/agents/echo.ts"
import { statusOf } from "../../src/cli/exit.ts"
import * as Gateway from "../../src/layers/Gateway.ts"
import * as LoopGuard from "../../src/layers/loopGuard.ts"
import * as Store from "../../src/layers/Store.ts"
import { JobStore } from "../../src/store/JobStore.ts"

/** The ticker promises its next stamp within a minute; a test has no minute. */
const impatient = Layer.effect(
  Supervision,
  Effect.map(Supervision, (supervision) =>
    Supervision.of({
      ...supervision,
      register: (name) =>
        Effect.map(supervision.register(name), (entry) => ({
          ...entry,
          progress: (within) => entry.progress(Duration.min(within, Duration.seconds(1)))
        }))
    })
  )
)
const silent = Layer.effect(
  JobStore,
  Effect.map(JobStore, (store) => JobStore.of({ ...store, list: Effect.never }))
)

const parts = Gateway.parts()
const gateway = Gateway.compose({ ...parts, ticker: Layer.provide(parts.ticker, Layer.merge(impatient, silent)) })
const stall = Duration.seconds(2)

const main = Effect.flatMap(Watchdog, ({ stood }) => stood).pipe(
  Effect.catch((error) => Effect.as(Console.error(error.message), statusOf(error))),
  Effect.provide(
    Watchdog.layer({ stall, guard: LoopGuard.make({ stall, format: "json" }) }).pipe(
      Layer.provideMerge(gateway),
      Layer.provide(Layer.merge(Echo.layer, Store.layerMemory))
    )
  )
)

process.exit(await Effect.runPromise(main))
