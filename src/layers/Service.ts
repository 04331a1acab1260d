/** From settings to the running service: which adapters, which agent, which database, and the HTTP side over them. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import { Mask } from "../actors/Mask.ts"
import { Supervision } from "../actors/Supervision.ts"
import { Supervisor } from "../actors/Supervisor.ts"
import * as VitalWatch from "../actors/vitalWatch.ts"
import { Watchdog } from "../actors/Watchdog.ts"
import type { Agent } from "../agents/Agent.ts"
import * as Echo from "../agents/echo.ts"
import * as HttpAgent from "../agents/http.ts"
import type { Loaded } from "../config/load.ts"
import { refuseOver } from "../config/load.ts"
import { isLoopback } from "../config/loopback.ts"
import type { ConfigError } from "../config/report.ts"
import type { AgentSettings, PlatformSettings, Settings } from "../config/Settings.ts"
import type { StoreError } from "../domain/Errors.ts"
import * as Server from "../http/Server.ts"
import { Local } from "../platforms/local/Local.ts"
import type { Database } from "../store/Database.ts"
import { JobStore } from "../store/JobStore.ts"
import { name } from "./applying.ts"
import * as Egress from "./Egress.ts"
import * as Gateway from "./Gateway.ts"
import { configuration, InForce } from "./InForce.ts"
import type { ListenFailed } from "./Listener.ts"
import { Listener } from "./Listener.ts"
import { namesOf } from "./listenerNames.ts"
import { maskOf } from "./logLine.ts"
import * as LogFiles from "./logFiles.ts"
import * as LoopGuard from "./loopGuard.ts"
import { enabledOf } from "./Platforms.ts"
import * as Reload from "./Reload.ts"
import * as Network from "./Network.ts"
import * as SelfExamination from "./selfExamination.ts"
import * as Store from "./Store.ts"
import { isText } from "./Telemetry.ts"
import * as Vitals from "./vitals.ts"

/** What may go wrong before the service runs. */
export type ServiceError = StoreError | ListenFailed

const agentOf = (settings: AgentSettings): Layer.Layer<Agent, never, HttpClient> => {
  switch (settings.kind) {
    case "echo":
      return Echo.layer
    case "http":
      return HttpAgent.layer({
        url: settings.url,
        secret: settings.secret ?? null
      }).pipe(Layer.provide(NodeCrypto.layerMac))
  }
}

/** The page's chat exists where the settings name no local platform too; then it is attached to nothing. */
const localOf = (platforms: ReadonlyArray<PlatformSettings>): Layer.Layer<Local> => {
  const local = enabledOf(platforms).find(({ kind }) => kind === "local")
  return Local.layer(local === undefined ? {} : { id: local.id })
}

/** The database that the settings name. */
export const databaseOf = (settings: Pick<Settings, "store" | "home">): Layer.Layer<Database, StoreError> =>
  Store.layerSqlite({ filename: Store.fileOf(settings) })

const gatewayOf = (settings: Settings) =>
  Gateway.layer({
    name,
    sessionScope: settings.sessions.scope,
    turnTimeout: settings.agent.timeout,
    admins: settings.admins,
    expire: settings.outbox.expire,
    keep: settings.keep,
    drain: settings.shutdown.drain,
    alarmAfter: settings.alarmAfter,
    escalateAfter: settings.escalate.after,
    jobs: settings.jobs
  })

/** The routes first: a listener that is opened again has them. */
const serverOf = ({ http }: Settings) =>
  Listener.kept.pipe(
    Layer.provideMerge(
      Server.layer({
        names: namesOf(http.host),
        token: isLoopback(http.host) ? null : http.token
      })
    ),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )

/** Acquired last, so that it is known before anybody leaves. */
const stopBegins: Layer.Layer<never, never, Supervision> = Layer.effectDiscard(
  Effect.flatMap(Supervision, ({ beginStop }) => Effect.addFinalizer(() => beginStop))
)

const watchdogOf = ({ home, log, watchdog: { stall } }: Settings) => {
  const format = isText(log.format) ? "text" : "json"
  const errors = LogFiles.areMeant ? LogFiles.pathsOf(home).errors : null
  return Watchdog.layer({ stall, guard: LoopGuard.make({ stall, format, errors }) })
}

/** A one-shot that is over is refused where it is new: one that the store knows has had its time. */
const pastJobsRefused = (loaded: Loaded): Layer.Layer<never, StoreError | ConfigError, Database> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const known = yield* (yield* JobStore).list
      yield* refuseOver(
        loaded,
        known.map(({ job }) => job)
      )
    })
  ).pipe(Layer.provide(JobStore.layer))

/**
 * The whole service. Platforms are on top, so they leave first at a stop, side by side; the HTTP side outlives them, so
 * that a stop can be watched. It listens before anything runs: where the port is taken, nothing connects and no job is
 * decided.
 */
export const layer = (loaded: Loaded, reloading: Reload.Reloading) => {
  const { settings, env: environment } = loaded
  return stopBegins.pipe(
    Layer.provideMerge(Reload.layer(loaded, reloading)),
    Layer.provideMerge(serverOf(settings)),
    Layer.provideMerge(localOf(settings.platforms)),
    Layer.provideMerge(watchdogOf(settings)),
    Layer.provideMerge(VitalWatch.layer()),
    Layer.provideMerge(SelfExamination.layer),
    Layer.provideMerge(gatewayOf(settings)),
    Layer.provideMerge(agentOf(settings.agent)),
    Layer.provideMerge(Listener.layer(settings.http)),
    Layer.provideMerge(Layer.provideMerge(pastJobsRefused(loaded), databaseOf(settings))),
    Layer.provideMerge(Egress.layer({ proxy: settings.proxy, environment })),
    Layer.provideMerge(Layer.provideMerge(configuration(reloading.requests), InForce.layer(loaded))),
    Layer.provideMerge(Layer.succeed(Mask, maskOf(loaded.secrets))),
    Layer.provideMerge(Network.layer),
    // Below everything, so that the fibers of all of it are counted.
    Layer.provideMerge(Vitals.layer)
  )
}

/** Never returns: fails when the service has to end by itself. */
export const ends = Effect.gen(function* () {
  const supervision = yield* Supervision
  const supervisor = yield* Supervisor
  const watchdog = yield* Watchdog
  return yield* Effect.raceAllFirst([supervision.gaveUp, supervisor.escalated, watchdog.stood])
})
