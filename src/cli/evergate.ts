/** What the commands share: the program's own flags, and how a command ends with a status. A group of commands is a file. */
import { Console, Context, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { LogLevel } from "../config/Settings.ts"
import type { Whereabouts } from "../config/whereabouts.ts"
import { whereabouts } from "../config/whereabouts.ts"
import { surroundings } from "../layers/surroundings.ts"
import type { ExitStatus } from "./exit.ts"
import { statusOf } from "./exit.ts"

const config = Flag.String("config").pipe(
  Flag.withDescription("The configuration file; else $EVERGATE_CONFIG, ./evergate.yaml, the home's, the environment"),
  Flag.optional
)
const envFile = Flag.String("env-file").pipe(
  Flag.withDescription("A file to read environment variables from"),
  Flag.optional
)
export const logLevel = Flag.Literals("log-level", LogLevel.literals).pipe(
  Flag.withDescription("The least level that is logged, whatever the configuration says"),
  Flag.optional
)
export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** The program: its own flags stand before the name of a command or after it. */
export const evergate = Command.make("evergate", { logLevel }).pipe(Command.withSharedFlags({ config, envFile }))

export interface Where {
  readonly config: Option.Option<string>
  readonly envFile: Option.Option<string>
}

export const wantedOf = ({ config, envFile }: Where, level: Option.Option<LogLevel> = Option.none()): Wanted => ({
  config: Option.getOrUndefined(config),
  envFile: Option.getOrUndefined(envFile),
  logLevel: Option.getOrUndefined(level)
})

/** The status that the process will end with. */
export class Ending extends Context.Service<Ending, { readonly set: (status: ExitStatus) => void }>()(
  "evergate/cli/evergate/Ending"
) {}

type Failure = { readonly _tag: string; readonly message: string }

/** A command: it ends with the status that it returns; a failure is told in one line and ends with its own. */
export const ending = <R>(command: Effect.Effect<ExitStatus, Failure, R>): Effect.Effect<void, never, R | Ending> =>
  Effect.gen(function* () {
    const status = yield* Effect.catch(command, (error) => Effect.as(Console.error(error.message), statusOf(error)))
    const { set } = yield* Ending
    set(status)
  })

/** A command over what was asked of the configuration. */
export const wanting = <R>(command: (wanted: Wanted) => Effect.Effect<ExitStatus, Failure, R>) =>
  ending(Effect.flatMap(evergate, (where) => command(wantedOf(where))))

/** A command to the gateway of the configuration, of which no more is read than where that is. */
export const onGateway = <R>(command: (gateway: Whereabouts) => Effect.Effect<ExitStatus, Failure, R>) =>
  wanting((wanted) => Effect.flatMap(whereabouts(wanted, surroundings), command))
