/** `evergate reload`: the running gateway reads its configuration again, and says what that changes, or what is wrong with it. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Reloaded } from "../http/Configuration.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { printable } from "./text.ts"

const listed = (what: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`${what}: ${names.map(printable).join(", ")}`]

const textOf = ({ source, platforms, access, cron, alarms, restartNeeded }: Reloaded): string => {
  const changes = [
    ...listed("platforms started", platforms.started),
    ...listed("platforms stopped", platforms.stopped),
    ...listed("platforms replaced", platforms.replaced),
    ...listed("access changed", access),
    ...listed("jobs added", cron.added),
    ...listed("jobs removed", cron.removed),
    ...listed("jobs changed", cron.changed),
    ...(alarms === "changed" ? ["alarms changed"] : []),
    ...listed("waits for a restart", restartNeeded)
  ]
  return [`${printable(source)}: reloaded`, ...(changes.length === 0 ? ["nothing changed"] : changes)].join("\n")
}

const notProcessable = 422

const reload = (gateway: Asked, json: boolean) =>
  ask(gateway, "/api/reload", Reloaded, { method: "POST", timeoutMillis: 30_000 }).pipe(
    Effect.flatMap((reloaded) => Console.log(json ? JSON.stringify(reloaded, null, 2) : textOf(reloaded))),
    Effect.as<ExitStatus>(exitStatus.done),
    Effect.catchTag("Refused", ({ message, status }) =>
      Effect.as(Console.error(message), status === notProcessable ? exitStatus.configuration : exitStatus.failed)
    )
  )

export const command = Command.make("reload", { json }, ({ json }) =>
  onGateway((gateway) => reload(gateway, json))
).pipe(Command.withDescription("Let the running gateway read its configuration again"))
