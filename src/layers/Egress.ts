/**
 * The one way out: REST calls and WebSockets leave by the same agents, so proxy, NO_PROXY, extra CA and the race between
 * a name's addresses are the same for both. An account with a proxy of its own gets an egress of its own.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import type { Transport } from "../platforms/Transport.ts"
import { Agents } from "./Agents.ts"
import { route } from "./proxy.ts"
import * as WebSocket from "./WebSocket.ts"

export interface Options {
  /** The contract's `proxy`: env | none | http://host:port. */
  readonly proxy: string
  /** Where `env` looks; the process's environment unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** REST calls that may be under way to one host; more wait. An idle connection is kept for half a minute. */
const agentOptions = { keepAlive: true, maxSockets: 64, scheduling: "lifo", timeout: 30_000 } as const

/** An HTTP client over the policy's agents. */
export const layerHttpClient: Layer.Layer<HttpClient, never, Agents> = NodeHttpClient.layerNodeHttpNoAgent.pipe(
  Layer.provide(
    Layer.effect(
      NodeHttpClient.HttpAgent,
      Effect.flatMap(Agents, (agents) => agents.make(agentOptions))
    )
  )
)

/** Everything that leaves the gateway, under one policy. */
export const layer = (options: Options): Layer.Layer<Transport | HttpClient> =>
  Layer.merge(WebSocket.layer, layerHttpClient).pipe(
    Layer.provide(Agents.layer(route(options.proxy, options.environment ?? process.env)))
  )
