/** The tree of commands. What a command ends with is a status; who runs the process sets it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, References, Result } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/cli"
import { version } from "../layers/version.ts"
import * as Backup from "./backup.ts"
import * as Configuration from "./config.ts"
import * as Cron from "./cron.ts"
import * as Demo from "./demo.ts"
import * as Doctor from "./doctor.ts"
import { Ending, ending, evergate, wantedOf } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { asTold } from "./launchd.ts"
import * as Logs from "./logs.ts"
import * as Outbox from "./outbox.ts"
import * as Platforms from "./platforms.ts"
import * as Reload from "./reload.ts"
import * as Restart from "./restart.ts"
import * as Run from "./run.ts"
import * as Send from "./send.ts"
import * as Service from "./service.ts"
import * as Sessions from "./sessions.ts"
import * as Start from "./start.ts"
import * as Status from "./status.ts"
import * as Stop from "./stop.ts"
import * as Top from "./top.ts"
import * as Trace from "./trace.ts"

const root = evergate.pipe(
  Command.withHandler(({ logLevel, ...where }) => ending(Run.run(wantedOf(where, logLevel)))),
  Command.withDescription("A gateway between chat platforms and an agent. Without a command it runs"),
  Command.withSubcommands([
    Run.command,
    Start.command,
    Stop.command,
    Restart.command,
    Logs.command,
    Demo.command,
    Status.command,
    Doctor.command,
    Top.command,
    Send.command,
    Trace.command,
    Platforms.command,
    Cron.command,
    Outbox.command,
    Sessions.command,
    Service.command,
    Reload.command,
    Backup.command,
    Configuration.command
  ])
)

/** Runs a command line; returns the status that the process ends with. */
export const main = (args: ReadonlyArray<string>): Effect.Effect<ExitStatus> => {
  let ended: ExitStatus = exitStatus.done
  return Effect.result(Command.runWith(root, { version })(args)).pipe(
    Effect.map((result) => (Result.isFailure(result) && isMisuse(result.failure) ? exitStatus.usage : ended)),
    Effect.flatMap(asTold),
    Effect.provideService(Ending, { set: (status) => void (ended = status) }),
    Effect.provideService(CliConfig.CliConfig, {
      builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
    }),
    Effect.provide(NodeServices.layer),
    // Commands speak by what they print; only the gateway itself logs.
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
}

/** Help that was asked for is no mistake. */
const isMisuse = (error: { readonly _tag: string; readonly errors?: ReadonlyArray<unknown> }): boolean =>
  error._tag !== "ShowHelp" || (error.errors ?? []).length > 0
