/**
 * The one way out: REST calls and WebSockets take the same roads, so proxy, NO_PROXY, extra CA and the race between a
 * name's addresses are the same for both. An account with a proxy of its own gets an egress of its own.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Layer } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import type { Transport } from "../platforms/Transport.ts"
import { Agents } from "./Agents.ts"
import * as Dispatcher from "./dispatcher.ts"
import type { Route } from "./proxy.ts"
import { route } from "./proxy.ts"
import * as WebSocket from "./WebSocket.ts"

export interface Options {
  /** The contract's `proxy`: env | none | http://host:port. */
  readonly proxy: string
  /** Where `env` looks; the process's environment unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** How long a proxy may take to open a tunnel; 10 s unless given. */
  readonly tunnelWithin?: Duration.Duration
}

/** An HTTP client on the policy's roads. */
const layerHttpClient = (way: Route, patienceMillis?: number): Layer.Layer<HttpClient> =>
  NodeHttpClient.layerUndiciNoDispatcher.pipe(
    Layer.provide(Layer.effect(NodeHttpClient.Dispatcher, Dispatcher.make(way, patienceMillis)))
  )

/** Everything that leaves the gateway, under one policy. */
export const layer = (options: Options): Layer.Layer<Transport | HttpClient> => {
  const { proxy, environment = process.env, tunnelWithin } = options
  const way = route(proxy, environment)
  const patience = tunnelWithin === undefined ? undefined : Duration.toMillis(tunnelWithin)
  return Layer.merge(Layer.provide(WebSocket.layer, Agents.layer(way, patience)), layerHttpClient(way, patience))
}
