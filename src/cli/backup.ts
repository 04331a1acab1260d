/** `evergate backup`: a consistent copy of the database, with a gateway that runs or without one. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Settings } from "../config/Settings.ts"
import { backup } from "../layers/backup.ts"
import { fileOf } from "../layers/Store.ts"
import { json, onGateway } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"

const copy = (gateway: Pick<Settings, "home" | "store">, target: string, json: boolean) =>
  backup(fileOf(gateway), target).pipe(
    Effect.flatMap((copied) =>
      Console.log(json ? JSON.stringify(copied) : `${copied.file}: ${copied.bytes} bytes, checked`)
    ),
    Effect.as<ExitStatus>(exitStatus.done)
  )

const file = Argument.String("file").pipe(
  Argument.withDescription("A file that there is not yet; with the configuration it is all that a restore needs")
)

export const command = Command.make("backup", { json, file }, ({ json, file }) =>
  onGateway((gateway) => copy(gateway, file, json))
).pipe(Command.withDescription("Write a consistent copy of the store, while the gateway runs or not"))
