/** `evergate restart`: a stop and a start; of a gateway in the hands of a service manager, the manager's own. */
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import * as Ending from "../layers/ending.ts"
import type * as Holder from "../layers/holder.ts"
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
  const { gateway: running, pid = 0 } = Option.getOrUndefined(holder) ?? {}
  const managed = running?.managed ?? null
  if (running !== undefined && managed !== null) return yield* byManager(pid, running, managed)
  const stopped = yield* stop(settings)
  return stopped === exitStatus.done ? yield* start(wanted) : stopped
})

/** It must not come back as a process that its manager does not know. */
const byManager = Effect.fnUntraced(function* (pid: number, running: Holder.Running, managed: Managed.Managed) {
  const command = Managed.commandTo("restart", managed)
  if (command === null) {
    yield* Console.error(`process ${pid} is run by ${managed.manager}; restart it there`)
    return exitStatus.failed
  }
  yield* Console.log(`process ${pid} is run by ${managed.manager}: \`${command.join(" ")}\``)
  yield* Managers.run(command, Ending.patienceOf(running))
  return exitStatus.done
})

export const command = Command.make("restart", { logLevel }, ({ logLevel }) =>
  ending(Effect.flatMap(evergate, (where) => restart(wantedOf(where, logLevel))))
).pipe(
  Command.withDescription("Stop the gateway and start it again; it is not stopped for a configuration that is wrong")
)
