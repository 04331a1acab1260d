/** The service's HTTP side: the guard in front, behind it the API, the probes, the metrics, the events and the page. */
import { ByteSize, Layer } from "effect"
import type { FileSystem, Path } from "effect"
import type { HttpPlatform, HttpServer } from "effect/http"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { Etag } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Feed } from "../actors/Feed.ts"
import { Api } from "./Api.ts"
import * as Demo from "./Demo.ts"
import * as Docs from "./Docs.ts"
import * as Events from "./Events.ts"
import type { GuardOptions } from "./guard.ts"
import { guard } from "./guard.ts"
import type { HandlerNeeds } from "./handlers.ts"
import { handlers } from "./handlers.ts"
import * as Metrics from "./metrics.ts"
import * as Page from "./Page.ts"
import * as Probes from "./probes.ts"

const largestBody = ByteSize.mebibytes(1)

export type ServerNeeds = HandlerNeeds | Feed

/** Serves until the scope closes. */
export const layer = (
  options: GuardOptions
): Layer.Layer<
  never,
  never,
  ServerNeeds | HttpServer.HttpServer | HttpPlatform.HttpPlatform | Etag.Generator | FileSystem.FileSystem | Path.Path
> =>
  HttpRouter.serve(
    Layer.mergeAll(
      HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
      Events.route,
      Probes.routes,
      Metrics.route,
      Docs.routes,
      Page.routes,
      Demo.route,
      HttpRouter.middleware(guard(options), { global: true })
    ),
    { disableLogger: true, disableListenLog: true }
  ).pipe(Layer.provide(Layer.succeed(HttpServerRequest.MaxBodySize, largestBody)))
