/** `evergate run` and `evergate demo`: settings, the home's lock, the service, and the status that the process ends with. */
import { Cause, Clock, Console, Duration, Effect, Layer, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import type { Wanted } from "../config/find.ts"
import type { Loaded } from "../config/load.ts"
import { load } from "../config/load.ts"
import { About } from "../http/About.ts"
import * as Manager from "../layers/managerNotices.ts"
import * as Otlp from "../layers/otlp.ts"
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

/** `evergate start` says so to its child: the log goes into files. */
export const detached = "EVERGATE_DETACHED"
const isDetached = surroundings.env[detached] === "1"

/** A stop takes at most `shutdown.drain` and this. */
const beyondDrain = Duration.seconds(5)

export interface RunOptions {
  /** Whoever holds the home or an account is stopped first. */
  readonly replace?: boolean
}

/** Runs the gateway until it is told to stop or has to end; returns the exit status. */
export const run = Effect.fnUntraced(function* (wanted: Wanted, { replace = false }: RunOptions = {}) {
  const loaded = yield* Effect.result(load(wanted, surroundings))
  if (Result.isFailure(loaded)) {
    yield* Console.error(loaded.failure.message)
    return exitStatus.configuration
  }
  const { env, secrets } = loaded.success
  const known: Loaded = { ...loaded.success, secrets: [...secrets, ...Otlp.secretsOf(env)] }
  return yield* serve(known, replace).pipe(Effect.scoped, Effect.provide(telemetryOf(known)))
})

const telemetryOf = ({ env: environment, secrets, settings: { home, log, proxy } }: Loaded) => {
  const files = isDetached ? { filesOf: home } : {}
  return Layer.provideMerge(Otlp.layer({ environment, proxy, secrets }), Telemetry.layer({ ...log, secrets, ...files }))
}

const serve = Effect.fnUntraced(function* (loaded: Loaded, replace: boolean) {
  const { settings, source } = loaded
  const stop = yield* stopRequested
  yield* lastResort
  yield* Effect.logInfo("configuration").pipe(Effect.annotateLogs({ source, home: settings.home, version }))
  const patience = Duration.toMillis(Duration.sum(settings.shutdown.drain, beyondDrain))
  const status = yield* Effect.raceFirst(
    Effect.flatMap(stop, (signal) => Effect.as(note("stopping", { signal }), exitStatus.done)),
    Effect.catchCause(live(loaded, replace), conclude)
  ).pipe(
    // From here on the scope closes: that is the drain.
    Effect.tap((status) => Effect.andThen(endWithin(patience, status), Manager.notify("stopping"))),
    Effect.scoped
  )
  yield* note("stopped", { status })
  return status
})

/** Builds the service in the scope around it, and fails when it cannot be built or has to end by itself. */
const live = Effect.fnUntraced(function* (loaded: Loaded, replace: boolean) {
  const { settings, source } = loaded
  const startedAt = yield* Clock.currentTimeMillis
  const about = About.of({ version, pid: process.pid, startedAt, config: { source, loadedAt: startedAt } })
  yield* hold(settings, replace)
  const service = yield* Layer.build(Service.layer(loaded).pipe(Layer.provide(Layer.succeed(About, about))))
  return yield* Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const url = HttpServer.formatAddress(address)
    yield* RunFile.write(settings.home, { url, drain: settings.shutdown.drain })
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

export const command = Command.make("run", { logLevel, replace }, ({ logLevel, replace }) =>
  ending(Effect.flatMap(evergate, (where) => run(wantedOf(where, logLevel), { replace })))
).pipe(Command.withDescription("Run the gateway in the foreground"))
