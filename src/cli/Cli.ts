/** The tree of commands. What a command ends with is a status; who runs the process sets it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option, References, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import type { Settings } from "../config/Settings.ts"
import { surroundings } from "../layers/surroundings.ts"
import { version } from "../layers/version.ts"
import * as Cron from "./cron.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus, statusOf } from "./exit.ts"
import { run } from "./run.ts"
import { send } from "./send.ts"
import { status } from "./status.ts"

const config = Flag.String("config").pipe(
  Flag.withDescription("The configuration file; else $EVERGATE_CONFIG, ./evergate.yaml, the home's, the environment"),
  Flag.optional
)
const envFile = Flag.String("env-file").pipe(
  Flag.withDescription("A file to read environment variables from"),
  Flag.optional
)
const where = { config, envFile }
const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
const jobId = Argument.String("job").pipe(Argument.withDescription("The job's id"))

interface Where {
  readonly config: Option.Option<string>
  readonly envFile: Option.Option<string>
}

const wantedOf = (flags: Where): Wanted => ({
  config: Option.getOrUndefined(flags.config),
  envFile: Option.getOrUndefined(flags.envFile)
})

type Failure = { readonly _tag: string; readonly message: string }

/** A failure is told in one line and ends with its status. */
const told = <R>(command: Effect.Effect<ExitStatus, Failure, R>) =>
  Effect.catch(command, (error) => Effect.as(Console.error(error.message), statusOf(error)))

/** Runs a command over the settings that the gateway itself would take. */
const withSettings = <R>(flags: Where, command: (settings: Settings) => Effect.Effect<ExitStatus, Failure, R>) =>
  told(Effect.flatMap(load(wantedOf(flags), surroundings), ({ settings }) => command(settings)))

const check = (flags: Where) =>
  told(
    Effect.flatMap(load(wantedOf(flags), surroundings), ({ source, settings }) =>
      Effect.as(
        Console.log(`${source}: ok (${settings.platforms.length} platforms, ${settings.jobs.length} jobs)`),
        exitStatus.done
      )
    )
  )

/** Runs a command line; returns the status that the process ends with. */
export const main = (args: ReadonlyArray<string>): Effect.Effect<ExitStatus> => {
  let ended: ExitStatus = exitStatus.done
  const ending = <E, R>(effect: Effect.Effect<ExitStatus, E, R>) =>
    Effect.map(effect, (status) => void (ended = status))

  const cron = Command.make("cron").pipe(
    Command.withDescription("Jobs of the running gateway"),
    Command.withSubcommands([
      Command.make("list", { ...where, json }, (flags) =>
        ending(withSettings(flags, (settings) => Cron.list(settings, flags.json)))
      ).pipe(Command.withDescription("All jobs")),
      Command.make("next", { ...where, json }, (flags) =>
        ending(withSettings(flags, (settings) => Cron.next(settings, flags.json)))
      ).pipe(Command.withDescription("What is due next, soonest first")),
      Command.make("run", { ...where, json, jobId }, (flags) =>
        ending(withSettings(flags, (settings) => Cron.run(settings, flags.jobId, flags.json)))
      ).pipe(Command.withDescription("Run a job now")),
      Command.make("history", { ...where, json, jobId }, (flags) =>
        ending(withSettings(flags, (settings) => Cron.history(settings, flags.jobId, flags.json)))
      ).pipe(Command.withDescription("The past runs of a job, newest first"))
    ])
  )
  const sendCommand = Command.make(
    "send",
    {
      ...where,
      json,
      to: Flag.String("to").pipe(Flag.withDescription("<platform id>:<chat id>[:<thread id>]")),
      text: Argument.String("text").pipe(Argument.withDescription("What to say"))
    },
    (flags) => ending(withSettings(flags, (settings) => send(settings, flags.to, flags.text, flags.json)))
  ).pipe(Command.withDescription("Send a message to a chat"))

  const root = Command.make("evergate", where, (flags) => ending(run(wantedOf(flags)))).pipe(
    Command.withDescription("A gateway between chat platforms and an agent. Without a command it runs"),
    Command.withSubcommands([
      Command.make("run", where, (flags) => ending(run(wantedOf(flags)))).pipe(
        Command.withDescription("Run the gateway in the foreground")
      ),
      Command.make("demo", {}, () => ending(run({ demo: true }))).pipe(
        Command.withDescription("Run a gateway of its own on embedded defaults: local chat, echo agent, a sample job")
      ),
      Command.make("status", { ...where, json }, (flags) =>
        ending(withSettings(flags, (settings) => status(settings, flags.json)))
      ).pipe(Command.withDescription("How the gateway is; ends with 0 when all is well, else with 69")),
      sendCommand,
      cron,
      Command.make("config").pipe(
        Command.withDescription("The configuration"),
        Command.withSubcommands([
          Command.make("check", where, (flags) => ending(check(flags))).pipe(
            Command.withDescription("Say whether it is right, and all that is wrong")
          )
        ])
      )
    ])
  )

  return Effect.result(Command.runWith(root, { version })(args)).pipe(
    Effect.map((result) => (Result.isFailure(result) && isMisuse(result.failure) ? exitStatus.usage : ended)),
    Effect.provide(NodeServices.layer),
    // Commands speak by what they print; only the gateway itself logs.
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
}

/** Help that was asked for is no mistake. */
const isMisuse = (error: { readonly _tag: string; readonly errors?: ReadonlyArray<unknown> }): boolean =>
  error._tag !== "ShowHelp" || (error.errors ?? []).length > 0
