/** `evergate run` and `evergate demo`: settings, the home's lock, the service, and the status that the process ends with. */
import type { FileSystem, Path } from "effect"
import { Cause, Clock, Console, Duration, Effect, Layer, Redacted, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import type { Wanted } from "../config/find.ts"
import type { Loaded } from "../config/load.ts"
import { load } from "../config/load.ts"
import { readBounded } from "../config/references.ts"
import type { LogLevel } from "../config/Settings.ts"
import { About } from "../http/About.ts"
import * as LogFiles from "../layers/logFiles.ts"
import * as Manager from "../layers/managerNotices.ts"
import * as Otlp from "../layers/otlp.ts"
import type { Reloading } from "../layers/Reload.ts"
import { ask, makeRequests } from "../layers/InForce.ts"
import { hold } from "../layers/replacing.ts"
import * as RunFile from "../layers/RunFile.ts"
import * as Service from "../layers/Service.ts"
import { endWithin, lastResort, stopRequested } from "../layers/Signals.ts"
import { surroundings } from "../layers/surroundings.ts"
import * as Telemetry from "../layers/Telemetry.ts"
import { ending, evergate, logLevel, wantedOf } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus, statusOf } from "./exit.ts"
import { version } from "../layers/version.ts"

/** A stop takes at most `shutdown.drain` and this. */
const beyondDrain = Duration.seconds(5)

export interface RunOptions {
  /** Whoever holds the home or an account is stopped first. */
  readonly replace?: boolean
  /** The configuration is read again when its file changes. */
  readonly watch?: boolean
}

/** Runs the gateway until it is told to stop or has to end; returns the exit status. */
export const run = Effect.fnUntraced(function* (wanted: Wanted, options: RunOptions = {}) {
  const loaded = yield* Effect.result(load(wanted, surroundings))
  if (Result.isFailure(loaded)) {
    yield* Console.error(loaded.failure.message)
    return exitStatus.configuration
  }
  const process = yield* makeProcess(wanted, loaded.success, options)
  return yield* serve(process).pipe(Effect.scoped, Effect.provide(telemetryOf(process)))
})

/** What the process is run from, and what may change meanwhile. */
interface Process {
  readonly loaded: Loaded
  readonly reloading: Omit<Reloading, "locked">
  readonly level: () => LogLevel
  readonly replace: boolean
}

const makeProcess = Effect.fnUntraced(function* (wanted: Wanted, found: Loaded, options: RunOptions) {
  const ground = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  // It grows with each configuration: what was a secret once stays one.
  const secrets = [...found.secrets, ...Otlp.secretsOf(found.env)]
  let level = found.settings.log.level
  const reloading: Process["reloading"] = {
    requests: yield* makeRequests,
    read: Effect.provideContext(load(wanted, surroundings), ground),
    adopt: (loaded) =>
      Effect.sync(() => {
        const known = new Set(secrets.map(Redacted.value))
        secrets.push(...loaded.secrets.filter((secret) => !known.has(Redacted.value(secret))))
        level = loaded.settings.log.level
      }),
    ...(options.watch === true ? { look: Effect.provideContext(textsOf(wanted, found.source), ground) } : {})
  }
  const process: Process = {
    loaded: { ...found, secrets },
    reloading,
    level: () => level,
    replace: options.replace ?? false
  }
  return process
})

/** What the file and the one of the variables say; why they cannot be read is a text too. */
const textsOf = (wanted: Wanted, source: string) =>
  Effect.map(
    Effect.forEach([source, ...(wanted.envFile === undefined ? [] : [wanted.envFile])], (file) =>
      Effect.catch(readBounded(file), Effect.succeed)
    ),
    (texts) => texts.join("\0")
  )

const telemetryOf = ({ loaded: { env: environment, secrets, settings }, level }: Process) => {
  const { home, log, proxy } = settings
  const files = LogFiles.areMeant ? { filesOf: home } : {}
  return Layer.provideMerge(
    Otlp.layer({ environment, proxy, secrets }),
    Telemetry.layer({ ...log, level, secrets, ...files })
  )
}

const serve = Effect.fnUntraced(function* (process: Process) {
  const { settings, source } = process.loaded
  const stop = yield* stopRequested(Effect.ignore(ask(process.reloading.requests)))
  yield* lastResort
  yield* Effect.logInfo("configuration").pipe(Effect.annotateLogs({ source, home: settings.home, version }))
  const patience = Duration.toMillis(Duration.sum(settings.shutdown.drain, beyondDrain))
  const status = yield* Effect.raceFirst(
    Effect.flatMap(stop, (signal) => Effect.as(note("stopping", { signal }), exitStatus.done)),
    Effect.catchCause(live(process), conclude)
  ).pipe(
    // From here on the scope closes: that is the drain.
    Effect.tap((status) => Effect.andThen(endWithin(patience, status), Manager.notify("stopping"))),
    Effect.scoped
  )
  yield* note("stopped", { status })
  return status
})

/** Builds the service in the scope around it, and fails when it cannot be built or has to end by itself. */
const live = Effect.fnUntraced(function* ({ loaded, reloading, replace }: Process) {
  const { settings } = loaded
  const about = About.of({ version, pid: process.pid, startedAt: yield* Clock.currentTimeMillis })
  const locked = yield* hold(settings, replace)
  const writeRunFile = yield* RunFile.make(settings.home)
  const service = yield* Layer.build(
    Service.layer(loaded, { ...reloading, locked }).pipe(Layer.provide(Layer.succeed(About, about)))
  )
  return yield* Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const url = HttpServer.formatAddress(address)
    yield* writeRunFile(url)
    yield* note("ready", { url })
    yield* Manager.notify("ready")
    yield* Manager.pinging()
    return yield* Service.ends
  }).pipe(Effect.provideContext(service))
})

/** Says why the service ends by itself, and with which status. */
const conclude = (
  cause: Cause.Cause<{ readonly _tag: string; readonly message: string }>
): Effect.Effect<ExitStatus> => {
  const error = Cause.findError(cause)
  return Result.isSuccess(error)
    ? Effect.as(Effect.logError(error.success.message), statusOf(error.success))
    : Effect.as(
        Effect.logFatal("a defect").pipe(Effect.annotateLogs({ cause: Cause.pretty(cause) })),
        exitStatus.defect
      )
}

const note = (message: string, fields: Readonly<Record<string, unknown>>) =>
  Effect.annotateLogs(Effect.logInfo(message), fields)

const replace = Flag.Boolean("replace").pipe(
  Flag.withDescription("Stop the gateway that holds this home or one of its accounts, and take over"),
  Flag.withDefault(false)
)

const watch = Flag.Boolean("watch").pipe(
  Flag.withDescription("Read the configuration again when its file changes"),
  Flag.withDefault(false)
)

export const command = Command.make("run", { logLevel, replace, watch }, ({ logLevel, ...options }) =>
  ending(Effect.flatMap(evergate, (where) => run(wantedOf(where, logLevel), options)))
).pipe(Command.withDescription("Run the gateway in the foreground"))
