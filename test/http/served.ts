/** The real graph behind real HTTP on a port that the system picks, within the test's own process. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import { mkdirSync } from "node:fs"
import { Supervision } from "../../src/actors/Supervision.ts"
import { load } from "../../src/config/load.ts"
import { About } from "../../src/http/About.ts"
import { makeRequests } from "../../src/layers/InForce.ts"
import * as Service from "../../src/layers/Service.ts"
import { Database } from "../../src/store/Database.ts"
import { place } from "../service.ts"

const about = About.of({ version: "0.1.0", pid: 42, startedAt: 0 })

/** What the service of these settings gives to whoever asks it. Everything ends with the scope. */
export const served = Effect.fnUntraced(
  function* (settings: Readonly<Record<string, unknown>>) {
    const { config, folder, home } = yield* place(settings)
    const found = yield* load({ config }, { env: {}, cwd: folder, userHome: folder, timezone: "UTC" })
    const loaded = { ...found, source: "a test" }
    yield* Effect.sync(() => mkdirSync(home))
    const reloading = {
      requests: yield* makeRequests,
      read: Effect.succeed(loaded),
      adopt: () => Effect.void,
      locked: new Map()
    }
    const service = yield* Layer.build(
      Service.layer(loaded, reloading).pipe(Layer.provide(Layer.succeed(About, about)), Layer.provide(Logger.layer([])))
    )
    const { address } = Context.get(service, HttpServer.HttpServer)
    return {
      url: HttpServer.formatAddress(address),
      home,
      supervision: Context.get(service, Supervision),
      database: Context.get(service, Database)
    }
  },
  Effect.orDie,
  Effect.provide(NodeServices.layer)
)
