/** A tunnel through an HTTP proxy (CONNECT): every fault on the way is the proxy's, and is told by its name. */
import { Redacted } from "effect"
import * as http from "node:http"
import type { Socket } from "node:net"
import { Proxy } from "../domain/LinkError.ts"
import type { ProxyServer, Target } from "./proxy.ts"

/** A proxy that takes longer to open a tunnel has failed. Less than a step of an attempt has, so that the proxy is blamed. */
const patienceMillis = 10_000

export type Opened = (...result: [error: Proxy, socket: null] | [error: null, socket: Socket]) => void

/** The tunnels of one agent that are being opened; each calls back once, and not at all after `destroy`. */
export class Tunnels {
  readonly #pending = new Set<http.ClientRequest>()
  readonly #patienceMillis: number

  constructor(millis = patienceMillis) {
    this.#patienceMillis = millis
  }

  open(proxy: ProxyServer, target: Target, opened: Opened): void {
    const request = connectRequest(proxy, target, this.#patienceMillis)
    const fail = (detail: string) => {
      if (this.#pending.delete(request)) opened(new Proxy({ proxy: proxy.name, detail }), null)
      request.destroy()
    }
    this.#pending.add(request)
    request.on("timeout", () => fail(`it hangs: no answer within ${this.#patienceMillis} ms`))
    request.on("error", (error) => fail(describe(error)))
    request.on("connect", (response, socket, head) => {
      if (response.statusCode !== 200) return fail(refusal(response.statusCode))
      if (!this.#pending.delete(request)) return socket.destroy()
      if (head.length > 0) socket.unshift(head)
      // Typed as any duplex; a request without an agent runs on a socket of node:net.
      const tunnel = socket as Socket
      opened(null, tunnel.setTimeout(0))
    })
    request.end()
  }

  destroy(): void {
    for (const request of this.#pending) request.destroy()
    this.#pending.clear()
  }
}

const connectRequest = (proxy: ProxyServer, target: Target, timeout: number): http.ClientRequest => {
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`
  const { authorization } = proxy
  return http.request({
    host: proxy.host,
    port: proxy.port,
    method: "CONNECT",
    path: authority,
    agent: false,
    timeout,
    headers: {
      host: authority,
      ...(authorization === null ? {} : { "proxy-authorization": Redacted.value(authorization) })
    }
  })
}

const refusal = (status: number | undefined): string =>
  status === 407 ? "it asks for a user and password (407)" : `it refused the tunnel with ${status}`

const describe = (error: NodeJS.ErrnoException): string => {
  const code = error.code ?? error.message
  if (code.startsWith("HPE_")) return "it did not answer as a proxy does"
  switch (code) {
    case "ECONNREFUSED":
      return "refused, nothing listens there"
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its name did not resolve"
    case "ECONNRESET":
      return "it closed the connection without an answer"
    default:
      return code
  }
}
