/** `evergate demo`: a gateway of its own on embedded defaults, and with `--chaos` one whose links are broken by a script. */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { Demonstration } from "../http/Demo.ts"
import * as Chaos from "../testing/chaos.ts"
import { ending, evergate, logLevel, wantedOf } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { run } from "./run.ts"

const withChaos = Effect.fnUntraced(function* (wanted: Wanted) {
  const { ledger, platforms, storm } = yield* Chaos.make()
  yield* Effect.forkScoped(storm)
  return yield* Effect.provideService(run({ ...wanted, platforms }), Demonstration, ledger)
}, Effect.scoped)

/** It takes no configuration, and so none that was named either. */
const demo = Effect.fnUntraced(function* ({ config, envFile, ...wanted }: Wanted, chaos: boolean) {
  if (config !== undefined || envFile !== undefined) {
    yield* Console.error("the demo takes no configuration; `evergate run` does")
    return exitStatus.usage
  }
  return yield* chaos ? withChaos({ ...wanted, demo: true }) : run({ ...wanted, demo: true })
})

const chaos = Flag.Boolean("chaos").pipe(
  Flag.withDescription("Two accounts beside the chat, whose links are killed, frozen and refused while messages run"),
  Flag.withDefault(false)
)

export const command = Command.make("demo", { chaos, logLevel }, ({ chaos, logLevel }) =>
  ending(Effect.flatMap(evergate, (where) => demo(wantedOf(where, logLevel), chaos)))
).pipe(Command.withDescription("Run a gateway of its own on embedded defaults: local chat, echo agent, a sample job"))
