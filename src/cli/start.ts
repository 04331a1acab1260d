/** `evergate start`: a gateway that stays when the terminal goes. Ends when it is ready, or with its status and its own words. */
import { Console, Effect, Option, Path, Schedule, Schema } from "effect"
import { Command } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import * as Detached from "../layers/detached.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import * as LogFiles from "../layers/logFiles.ts"
import * as RunFile from "../layers/RunFile.ts"
import { surroundings } from "../layers/surroundings.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { ending, evergate, logLevel, wantedOf } from "./evergate.ts"
import { exitStatus, isExitStatus } from "./exit.ts"
import { linesFrom, sizeOf, troubleOf } from "./logLines.ts"

/** As long as a service manager would wait. */
const patience = "90 seconds"
const look = Schedule.spaced("50 millis")
/** The newest complaints say why; more of them are in the log. */
const mostTold = 20

const Answer = Schema.Struct({ pid: Schema.Int })

/** A configuration that is wrong is told by this command, before anything is started. */
export const start = Effect.fnUntraced(function* (wanted: Wanted) {
  const { settings } = yield* load(wanted, surroundings)
  // A command that writes there holds the home for a moment: the gateway waits for that by itself.
  const holder = Option.filter(yield* HomeLock.holder(settings.home), ({ gateway }) => gateway !== undefined)
  if (Option.isSome(holder)) {
    yield* Console.error(`evergate runs already: process ${holder.value.pid} (${settings.home})`)
    return exitStatus.held
  }
  return yield* begin(wanted, settings)
})

const begin = Effect.fnUntraced(function* (wanted: Wanted, gateway: Asked) {
  const path = LogFiles.pathsOf(gateway.home).log
  const from = yield* sizeOf(path)
  const child = yield* Detached.start(gateway.home, yield* argumentsOf(wanted))
  return yield* Effect.raceFirst(
    Effect.flatMap(ready(gateway, child.pid), (url) =>
      Effect.as(Console.log(`evergate runs: process ${child.pid}, ${url}, log ${path}`), exitStatus.done)
    ),
    Effect.flatMap(child.ended, (status) => failed(path, from, status))
  ).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () =>
        Effect.as(
          Console.error(`process ${child.pid} is not ready after ${patience}; it goes on, see ${path}`),
          exitStatus.failed
        )
    })
  )
})

/** As this command was asked, so that both find the same. */
const argumentsOf = Effect.fnUntraced(function* ({ config, envFile, logLevel }: Wanted) {
  const path = yield* Path.Path
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value])
  const fileFlag = (name: string, file: string | undefined) =>
    flag(name, file === undefined ? undefined : path.resolve(surroundings.cwd, file))
  return ["run", ...fileFlag("--config", config), ...fileFlag("--env-file", envFile), ...flag("--log-level", logLevel)]
})

/** Returns its address when this very process answers there. */
const ready = (gateway: Asked, pid: number): Effect.Effect<string> =>
  Effect.gen(function* () {
    const written = Option.filter(yield* RunFile.read(gateway.home), (file) => file.pid === pid)
    const answer = Option.isNone(written) ? null : yield* ask(gateway, "/api/status", Answer, { timeoutMillis: 5_000 })
    return answer?.pid === pid ? Option.map(written, ({ url }) => url) : Option.none()
  }).pipe(
    // It does not answer yet.
    Effect.orElseSucceed(() => Option.none<string>()),
    Effect.repeat({ schedule: look, until: Option.isSome }),
    Effect.map(Option.getOrThrow)
  )

/** What it wrote to its log since, and the status that it ended with; killed, it has none. */
const failed = Effect.fnUntraced(function* (path: string, from: number, status: number | null) {
  const { lines } = yield* linesFrom(path, from)
  const troubles = lines.flatMap((line) => Option.toArray(troubleOf(line)))
  for (const trouble of troubles.slice(-mostTold)) yield* Console.error(trouble)
  const how = status === null ? "was killed" : `ended with ${status}`
  yield* Console.error(`the gateway ${how} before it was ready; its log is ${path}`)
  return status !== null && isExitStatus(status) && status !== exitStatus.done ? status : exitStatus.failed
})

export const command = Command.make("start", { logLevel }, ({ logLevel }) =>
  ending(Effect.flatMap(evergate, (where) => start(wantedOf(where, logLevel))))
).pipe(Command.withDescription("Run the gateway in the background, and return when it is ready"))
