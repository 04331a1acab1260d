/** `evergate restart`: a stop and a start; of a gateway in the hands of a service manager, the manager's own. */
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import * as Ending from "../layers/ending.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import * as Managed from "../layers/managed.ts"
import * as Managers from "../layers/managers.ts"
import { surroundings } from "../layers/surroundings.ts"
import { ending, evergate, logLevel, wantedOf } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { start } from "./start.ts"
import { stop } from "./stop.ts"

/** A configuration with which it could not start does not stop it either. */
const restart = Effect.fnUntraced(function* (wanted: Wanted) {
  const { settings } = yield* load(wanted, surroundings)
  const holder = yield* HomeLock.holder(settings.home)
  const running = Option.getOrUndefined(holder)?.gateway
  const managed = running?.managed ?? null
  const command = managed === null ? null : Managed.commandTo("restart", managed)
  if (running !== undefined && command !== null) {
    yield* Console.log(`run by ${running.managed?.manager}: \`${command.join(" ")}\``)
    yield* Managers.run(command, Ending.patienceOf(running))
    return exitStatus.done
  }
  const stopped = yield* stop(settings)
  return stopped === exitStatus.done ? yield* start(wanted) : stopped
})

export const command = Command.make("restart", { logLevel }, ({ logLevel }) =>
  ending(Effect.flatMap(evergate, (where) => restart(wantedOf(where, logLevel))))
).pipe(
  Command.withDescription("Stop the gateway and start it again; it is not stopped for a configuration that is wrong")
)
