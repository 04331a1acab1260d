/** The egress policy, followed: each connection, a REST call's or a WebSocket's, is made straight, by a tunnel, or refused here. */
import type { Socket } from "node:net"
import type { Proxy } from "../domain/LinkError.ts"
import type { Route, Target } from "./proxy.ts"
import { Tunnels } from "./tunnel.ts"

/** What is done on each road. */
export interface Ways<A> {
  readonly direct: () => A
  /** Later: once the proxy has opened the tunnel to the target. */
  readonly through: (tunnel: Socket) => void
  readonly refused: (error: Proxy) => void
}

/** The roads of one user; the tunnels that it is opening end with `destroy`. */
export class Roads {
  readonly #route: Route
  readonly #tunnels: Tunnels

  /** `patienceMillis`: how long a proxy may take to open a tunnel. */
  constructor(route: Route, patienceMillis?: number) {
    this.#route = route
    this.#tunnels = new Tunnels(patienceMillis)
  }

  /** Returns what goes straight; on another road the answer comes by its own way. */
  take<A>(target: Target, ways: Ways<A>): A | undefined {
    const road = this.#route(target)
    switch (road._tag) {
      case "Direct":
        return ways.direct()
      case "Blocked":
        ways.refused(road.error)
        return undefined
      case "Through":
        this.#tunnels.open(road.proxy, target, (error, tunnel) => {
          if (tunnel === null) ways.refused(error)
          else ways.through(tunnel)
        })
        return undefined
    }
  }

  destroy() {
    this.#tunnels.destroy()
  }
}
