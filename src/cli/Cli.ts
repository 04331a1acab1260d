/** The tree of commands. What a command ends with is a status; who runs the process sets it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option, References, Result } from "effect"
import { Argument, CliConfig, Command, Flag, GlobalFlag } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { LogLevel } from "../config/Settings.ts"
import type { Whereabouts } from "../config/whereabouts.ts"
import { whereabouts } from "../config/whereabouts.ts"
import { surroundings } from "../layers/surroundings.ts"
import { version } from "../layers/version.ts"
import * as Configuration from "./config.ts"
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
const logLevel = Flag.Literals("log-level", LogLevel.literals).pipe(
  Flag.withDescription("The least level that is logged, whatever the configuration says"),
  Flag.optional
)
const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
const jobId = Argument.String("job").pipe(Argument.withDescription("The job's id"))

const file = Argument.String("file").pipe(
  Argument.withDescription("The file to write; else that of --config, else evergate.yaml"),
  Argument.optional
)

/** The command line's own flags stand before the name of a command or after it. */
const evergate = Command.make("evergate", { logLevel }).pipe(Command.withSharedFlags({ config, envFile }))

interface Where {
  readonly config: Option.Option<string>
  readonly envFile: Option.Option<string>
}

const wantedOf = ({ config, envFile }: Where, level: Option.Option<LogLevel> = Option.none()): Wanted => ({
  config: Option.getOrUndefined(config),
  envFile: Option.getOrUndefined(envFile),
  logLevel: Option.getOrUndefined(level)
})

/** The demo takes no configuration, and so none that was named either. */
const demo = Effect.fnUntraced(function* (where: Where, level: Option.Option<LogLevel>) {
  const { config, envFile, ...wanted } = wantedOf(where, level)
  if (config === undefined && envFile === undefined) return yield* run({ ...wanted, demo: true })
  yield* Console.error("the demo takes no configuration; `evergate run` does")
  return exitStatus.usage
})

type Failure = { readonly _tag: string; readonly message: string }

/** A failure is told in one line and ends with its status. */
const told = <R>(command: Effect.Effect<ExitStatus, Failure, R>) =>
  Effect.catch(command, (error) => Effect.as(Console.error(error.message), statusOf(error)))

/** Runs a command on the gateway of the configuration, of which no more is read than where that is. */
const onGateway = <R>(command: (gateway: Whereabouts) => Effect.Effect<ExitStatus, Failure, R>) =>
  told(
    evergate.pipe(
      Effect.flatMap((where) => whereabouts(wantedOf(where), surroundings)),
      Effect.flatMap(command)
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
      Command.make("list", { json }, (flags) => ending(onGateway((gateway) => Cron.list(gateway, flags.json)))).pipe(
        Command.withDescription("All jobs")
      ),
      Command.make("next", { json }, (flags) => ending(onGateway((gateway) => Cron.next(gateway, flags.json)))).pipe(
        Command.withDescription("What is due next, soonest first")
      ),
      Command.make("run", { json, jobId }, (flags) =>
        ending(onGateway((gateway) => Cron.run(gateway, flags.jobId, flags.json)))
      ).pipe(Command.withDescription("Run a job now")),
      Command.make("history", { json, jobId }, (flags) =>
        ending(onGateway((gateway) => Cron.history(gateway, flags.jobId, flags.json)))
      ).pipe(Command.withDescription("The past runs of a job, newest first"))
    ])
  )
  const sendCommand = Command.make(
    "send",
    {
      json,
      to: Flag.String("to").pipe(Flag.withDescription("<platform id>:<chat id>[:<thread id>]")),
      text: Argument.String("text").pipe(Argument.withDescription("What to say"))
    },
    (flags) => ending(onGateway((gateway) => send(gateway, flags.to, flags.text, flags.json)))
  ).pipe(Command.withDescription("Send a message to a chat"))

  const configuration = Command.make("config").pipe(
    Command.withDescription("The configuration"),
    Command.withSubcommands([
      Command.make("check", {}, () =>
        ending(told(Effect.flatMap(evergate, (where) => Configuration.check(wantedOf(where)))))
      ).pipe(Command.withDescription("Say whether it is right, and all that is wrong")),
      Command.make("schema", {}, () => ending(Configuration.schema)).pipe(
        Command.withDescription("Print the JSON Schema of the file, for editors")
      ),
      Command.make("init", { file }, (flags) =>
        ending(Effect.flatMap(evergate, ({ config }) => Configuration.init(Option.orElse(flags.file, () => config))))
      ).pipe(Command.withDescription("Write a file to begin with; one that is there is not touched"))
    ])
  )

  const root = evergate.pipe(
    Command.withHandler(({ logLevel, ...where }) => ending(run(wantedOf(where, logLevel)))),
    Command.withDescription("A gateway between chat platforms and an agent. Without a command it runs"),
    Command.withSubcommands([
      Command.make("run", { logLevel }, (flags) =>
        ending(Effect.flatMap(evergate, (where) => run(wantedOf(where, flags.logLevel))))
      ).pipe(Command.withDescription("Run the gateway in the foreground")),
      Command.make("demo", { logLevel }, (flags) =>
        ending(Effect.flatMap(evergate, (where) => demo(where, flags.logLevel)))
      ).pipe(
        Command.withDescription("Run a gateway of its own on embedded defaults: local chat, echo agent, a sample job")
      ),
      Command.make("status", { json }, (flags) => ending(onGateway((gateway) => status(gateway, flags.json)))).pipe(
        Command.withDescription("How the gateway is; ends with 0 when all is well, else with 69")
      ),
      sendCommand,
      cron,
      configuration
    ])
  )

  return Effect.result(Command.runWith(root, { version })(args)).pipe(
    Effect.map((result) => (Result.isFailure(result) && isMisuse(result.failure) ? exitStatus.usage : ended)),
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
