/**
 * Node's HTTP agents, which `ws` asks for its sockets, on the egress policy's roads. Through a proxy it is always a tunnel,
 * so TLS is with the target and the target's name is what is checked.
 */
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type { Duplex } from "node:stream"
import * as tls from "node:tls"
import type { Route, Target } from "./proxy.ts"
import { Roads } from "./roads.ts"

export interface AgentPair {
  readonly http: http.Agent
  readonly https: https.Agent
}

export class Agents extends Context.Service<
  Agents,
  {
    /** A pair of one user's own. Its sockets, and the tunnels it is opening, end with the scope. */
    readonly make: (options: https.AgentOptions) => Effect.Effect<AgentPair, never, Scope.Scope>
  }
>()("evergate/layers/Agents") {
  static readonly layer = (route: Route, patienceMillis?: number): Layer.Layer<Agents> =>
    Layer.succeed(Agents, {
      make: (options) =>
        Effect.acquireRelease(
          Effect.sync(() => ({
            http: new PlainAgent(new Roads(route, patienceMillis), options),
            https: new SecureAgent(new Roads(route, patienceMillis), options)
          })),
          (pair) =>
            Effect.sync(() => {
              pair.http.destroy()
              pair.https.destroy()
            })
        )
    })
}

type Created = (error: Error | null, socket: Duplex) => void

class PlainAgent extends http.Agent {
  readonly #roads: Roads

  constructor(roads: Roads, options: https.AgentOptions) {
    super(raced(options))
    this.#roads = roads
  }

  override createConnection(options: http.ClientRequestArgs, created?: Created) {
    return this.#roads.take(targetOf(options, false), {
      direct: () => super.createConnection(options, created),
      through: (tunnel) => created?.(null, tunnel),
      refused: refuse(created)
    })
  }

  override destroy() {
    this.#roads.destroy()
    super.destroy()
  }
}

class SecureAgent extends https.Agent {
  readonly #roads: Roads

  constructor(roads: Roads, options: https.AgentOptions) {
    super(raced(options))
    this.#roads = roads
  }

  override createConnection(options: https.RequestOptions, created?: Created) {
    return this.#roads.take(targetOf(options, true), {
      direct: () => super.createConnection(options, created),
      through: (socket) => created?.(null, tls.connect({ ...tlsOptions(options), socket })),
      refused: refuse(created)
    })
  }

  override destroy() {
    this.#roads.destroy()
    super.destroy()
  }
}

/** Node calls back with an error alone, though the types want a socket beside it. */
const refuse = (created: Created | undefined) => (created as ((error: Error) => void) | undefined) ?? (() => {})

/** All addresses of a name are tried, IPv6 and IPv4 side by side. */
const raced = (options: https.AgentOptions): https.AgentOptions => ({ ...options, autoSelectFamily: true })

const targetOf = (options: http.ClientRequestArgs, secure: boolean): Target => ({
  secure,
  host: options.host ?? "localhost",
  port: Number(options.port ?? (secure ? 443 : 80))
})

/** `servername` holds the target's name already; `path` would name a local socket. */
const tlsOptions = (options: https.RequestOptions): tls.ConnectionOptions => {
  const { path: _path, ...rest } = options
  // Node's own agent hands a request's options to `tls.connect` in the same way; the types merely spell "absent" twice.
  return rest as tls.ConnectionOptions
}
