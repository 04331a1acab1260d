/** `evergate service`: the gateway in the hands of systemd or launchd, by the statuses and times that it ends with. */
import { Console, Effect, Path, Result } from "effect"
import { Command, Flag } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import * as Managers from "../layers/managers.ts"
import { program } from "../layers/program.ts"
import type { ServiceFacts } from "../layers/serviceUnit.ts"
import { surroundings } from "../layers/surroundings.ts"
import { wanting } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"

interface Options {
  readonly name: string
  readonly system: boolean
}

/** The variables that every service has; what else a person's shell holds is not there. */
const bare = { HOME: surroundings.userHome }

/**
 * What the unit says. The configuration is read twice: as it is here, and as the service will find it, so that what only this
 * shell knows is told now and not at the next start of the machine.
 */
const factsOf = Effect.fnUntraced(function* (wanted: Wanted) {
  const path = yield* Path.Path
  const { home, settings, source } = yield* Effect.map(load(wanted, surroundings), ({ settings, source }) => ({
    home: settings.home,
    settings,
    source
  }))
  const facts: ServiceFacts = {
    node: program.node,
    program: program.main,
    home,
    config: path.isAbsolute(source) ? source : null,
    envFile: wanted.envFile === undefined ? null : path.resolve(surroundings.cwd, wanted.envFile),
    drain: settings.shutdown.drain
  }
  const there = { ...surroundings, env: { ...bare, EVERGATE_HOME: home } }
  const alone = yield* Effect.result(
    load({ config: facts.config ?? undefined, envFile: facts.envFile ?? undefined }, there)
  )
  return { facts, missing: Result.isFailure(alone) ? alone.failure.message : null, source }
})

const keepThem = "Write the variables into a file of mode 0600 and name it: `evergate service install --env-file FILE`"

const nobody = "this machine has neither systemd nor launchd; start `evergate run` by what it has"

const managerOf = ({ name, system }: Options) => Managers.managerHere({ name, system, userHome: surroundings.userHome })

const install = Effect.fnUntraced(function* (wanted: Wanted, options: Options & { readonly print: boolean }) {
  const { facts, missing, source } = yield* factsOf(wanted)
  if (missing !== null || source === "environment variables") {
    const why = missing ?? "the configuration is in this shell's variables alone"
    yield* Console.error(`a service has not the variables of this shell: ${why}\n${keepThem}`)
    return exitStatus.configuration
  }
  const manager = managerOf(options)
  if (manager === null) return yield* Effect.as(Console.error(nobody), exitStatus.failed)
  if (options.print) return yield* Effect.as(Console.log(manager.unit(facts)), exitStatus.done)
  yield* Managers.install(manager, facts)
  yield* Console.log(`${options.name} runs, by ${manager.name}: ${manager.file}`)
  if (manager.name === "systemd" && !options.system) {
    yield* Console.log("it ends with your last session unless it may linger: `loginctl enable-linger`")
  }
  return exitStatus.done
})

const uninstall = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<ExitStatus, Managers.ManagerFailed, Effect.Services<ReturnType<typeof Managers.uninstall>>> {
  const manager = managerOf(options)
  if (manager === null) return yield* Effect.as(Console.error(nobody), exitStatus.failed)
  const was = yield* Managers.uninstall(manager)
  yield* Console.log(
    was
      ? `${options.name} is stopped and no service any more; its home is as it was`
      : `${options.name} is no service here`
  )
  return exitStatus.done
})

const name = Flag.String("name").pipe(
  Flag.withDescription("The service's name, where a machine has several"),
  Flag.withDefault("evergate")
)
const system = Flag.Boolean("system").pipe(
  Flag.withDescription("systemd: start it with the machine instead of your session (needs root)"),
  Flag.withDefault(false)
)
const print = Flag.Boolean("print").pipe(
  Flag.withDescription("Print the unit and change nothing"),
  Flag.withDefault(false)
)

export const command = Command.make("service").pipe(
  Command.withDescription("The gateway as a service of this machine"),
  Command.withSubcommands([
    Command.make("install", { name, print, system }, (options) => wanting((wanted) => install(wanted, options))).pipe(
      Command.withDescription("Have systemd or launchd run it, now and after every start")
    ),
    Command.make("uninstall", { name, system }, (options) => wanting(() => uninstall(options))).pipe(
      Command.withDescription("Stop it and take the service away; the home stays")
    )
  ])
)
