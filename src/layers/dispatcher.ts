/** undici's dispatcher, which REST calls leave by, on the egress policy's roads. Its sockets end with the scope. */
import Undici from "@effect/platform-node/Undici"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Route } from "./proxy.ts"
import { Roads } from "./roads.ts"

/** Who asked gives up sooner or later by a deadline of its own; this ends the socket that nobody waits for any more. */
const connectMillis = 15_000

const bounds = {
  /**
   * Calls that may be under way to one host; more wait, and their deadlines run meanwhile. So it is no fewer than the turns
   * that an agent may be asked at once: one that is slow would fail turns that it was never asked.
   */
  connections: 256,
  pipelining: 1,
  /** More than any caller reads. It is bounded here, since over undici Effect's client does not look at `MaxBodySize`. */
  maxResponseSize: 1024 * 1024,
  /** One call, one connection: a stall then holds up nobody else. */
  allowH2: false,
  keepAliveMaxTimeout: 30_000
} satisfies Undici.Agent.Options

/** Makes a dispatcher. */
export const make = (route: Route, patienceMillis?: number): Effect.Effect<Undici.Dispatcher, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const roads = new Roads(route, patienceMillis)
      return { roads, agent: new Undici.Agent({ ...bounds, connect: connectorOf(roads) }) }
    }),
    ({ agent, roads }) =>
      Effect.suspend(() => {
        roads.destroy()
        return Effect.promise(() => agent.destroy())
      })
  ).pipe(Effect.map(({ agent }) => agent))

const connectorOf = (roads: Roads): Undici.buildConnector.connector => {
  // All addresses of a name are tried, IPv6 and IPv4 side by side.
  const connect = Undici.buildConnector({ timeout: connectMillis, allowH2: false, autoSelectFamily: true })
  return (options, connected) => {
    const secure = options.protocol === "https:"
    const host = options.hostname.replaceAll(/^\[|\]$/g, "")
    const target = { secure, host, port: Number(options.port || (secure ? 443 : 80)) }
    roads.take(target, {
      direct: () => connect(options, connected),
      refused: (error) => connected(error, null),
      // Typed as any duplex; a tunnel is a socket of node:net.
      through: (tunnel) => (secure ? connect({ ...options, httpSocket: tunnel }, connected) : connected(null, tunnel))
    })
  }
}
