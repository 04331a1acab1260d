/** The tree of commands. What a command ends with is a status; who runs the process sets it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { version } from "../layers/version.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { run } from "./run.ts"

const config = Flag.String("config").pipe(
  Flag.withDescription("The configuration file; else $EVERGATE_CONFIG, ./evergate.yaml, the home's, the environment"),
  Flag.optional
)
const envFile = Flag.String("env-file").pipe(
  Flag.withDescription("A file to read environment variables from"),
  Flag.optional
)
const wanted = { config, envFile }

const wantedOf = (flags: { readonly config: Option.Option<string>; readonly envFile: Option.Option<string> }) => ({
  config: Option.getOrUndefined(flags.config),
  envFile: Option.getOrUndefined(flags.envFile)
})

/** Runs a command line; returns the status that the process ends with. */
export const main = (args: ReadonlyArray<string>): Effect.Effect<ExitStatus> => {
  let status: ExitStatus = exitStatus.done
  const ending = <E, R>(effect: Effect.Effect<ExitStatus, E, R>) =>
    Effect.map(effect, (ended) => {
      status = ended
    })

  const runCommand = Command.make("run", wanted, (flags) => ending(run(wantedOf(flags)))).pipe(
    Command.withDescription("Run the gateway in the foreground")
  )
  const demoCommand = Command.make("demo", {}, () => ending(run({ demo: true }))).pipe(
    Command.withDescription("Run a gateway of its own on embedded defaults: local chat, echo agent, a sample job")
  )
  const root = Command.make("evergate", wanted, (flags) => ending(run(wantedOf(flags)))).pipe(
    Command.withDescription("A gateway between chat platforms and an agent"),
    Command.withSubcommands([runCommand, demoCommand])
  )

  return Command.runWith(root, { version })(args).pipe(
    Effect.matchEffect({
      onFailure: (error) =>
        Effect.succeed(error._tag === "ShowHelp" && error.errors.length === 0 ? exitStatus.done : exitStatus.usage),
      onSuccess: () => Effect.sync(() => status)
    }),
    Effect.provide(NodeServices.layer)
  )
}
