/**
 * The one way out: REST calls and WebSockets take the same roads, so proxy, NO_PROXY, extra CA and the race between a
 * name's addresses are the same for both. An account with a proxy of its own gets an egress of its own.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
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
}

/** An HTTP client on the policy's roads. */
const layerHttpClient = (way: Route): Layer.Layer<HttpClient> =>
  NodeHttpClient.layerUndiciNoDispatcher.pipe(
    Layer.provide(Layer.effect(NodeHttpClient.Dispatcher, Dispatcher.make(way)))
  )

/** Everything that leaves the gateway, under one policy. */
export const layer = ({ proxy, environment = process.env }: Options): Layer.Layer<Transport | HttpClient> => {
  const way = route(proxy, environment)
  return Layer.merge(Layer.provide(WebSocket.layer, Agents.layer(way)), layerHttpClient(way))
}
