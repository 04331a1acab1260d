/** The way to a host a step at a time, on the egress policy's roads: a name, a connection or a tunnel, TLS, a first answer. */
import { Effect } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import { lookup } from "node:dns"
import type { Socket } from "node:net"
import { connect, isIP } from "node:net"
import * as tls from "node:tls"
import type { Way } from "../doctor/Machine.ts"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import { Protocol } from "../domain/LinkError.ts"
import { networkFailure } from "../domain/networkFailure.ts"
import type { Route, Target } from "./proxy.ts"
import { Roads } from "./roads.ts"

/** `origin` is an http: or https: URL; `http` goes by the same route. */
export const make = (origin: string, route: Route, http: HttpClient): Way => {
  const url = URL.parse(origin)
  if (url === null) return nowhere(origin)
  const secure = url.protocol === "https:"
  const host = url.hostname.replaceAll(/^\[|\]$/g, "")
  const target: Target = { secure, host, port: Number(url.port || (secure ? 443 : 80)) }
  const road = route(target)
  const isNamed = road._tag === "Direct" && isIP(host) === 0
  return {
    proxy: road._tag === "Direct" ? null : road._tag === "Through" ? road.proxy.name : road.error.proxy,
    resolve: isNamed ? resolve(host) : null,
    connect: Effect.map(Effect.scoped(socketTo(route, target)), (remote) => remote.address),
    secure: secure
      ? Effect.scoped(Effect.flatMap(socketTo(route, target), ({ socket }) => certificateOf(socket, host)))
      : null,
    date: http.head(origin).pipe(
      Effect.map(({ headers }) => instantOf(headers["date"])),
      Effect.mapError((error) => networkFailure(error, host))
    )
  }
}

const nowhere = (origin: string): Way => {
  const fail = Effect.fail(new Protocol({ detail: `${origin} is no URL` }))
  return { proxy: null, resolve: null, connect: fail, secure: null, date: fail }
}

const instantOf = (date: string | undefined): number | null => {
  const at = Date.parse(date ?? "")
  return Number.isNaN(at) ? null : at
}

const resolve = (host: string): Effect.Effect<ReadonlyArray<string>, LinkErrorReason> =>
  Effect.callback((resume) =>
    lookup(host, { all: true }, (error, addresses) =>
      resume(
        error === null
          ? Effect.succeed(addresses.map(({ address }) => address))
          : Effect.fail(networkFailure(error, host))
      )
    )
  )

/** A socket to the target, through the proxy where there is one. It ends with the scope. */
const socketTo = (route: Route, target: Target) =>
  Effect.acquireRelease(
    Effect.sync(() => new Roads(route)),
    (roads) => Effect.sync(() => roads.destroy())
  ).pipe(
    Effect.flatMap((roads) =>
      Effect.acquireRelease(opened(roads, target), ({ socket }) => Effect.sync(() => socket.destroy()), {
        interruptible: true
      })
    )
  )

interface Opened {
  readonly socket: Socket
  readonly address: string
}

const opened = (roads: Roads, { host, port, secure }: Target): Effect.Effect<Opened, LinkErrorReason> =>
  Effect.callback<Opened, LinkErrorReason>((resume) => {
    const socket = roads.take<Socket>(
      { host, port, secure },
      {
        direct: () => connect({ host, port, autoSelectFamily: true }),
        through: (tunnel) => resume(Effect.succeed({ socket: tunnel, address: `${host}:${port}` })),
        refused: (error) => resume(Effect.fail(error))
      }
    )
    socket?.once("connect", () => resume(Effect.succeed({ socket, address: `${socket.remoteAddress}:${port}` })))
    socket?.on("error", (error) => resume(Effect.fail(networkFailure(error, host))))
    return Effect.sync(() => socket?.destroy())
  })

/** Shakes hands as every call does, and says when the certificate ends. */
const certificateOf = (socket: Socket, host: string): Effect.Effect<number, LinkErrorReason> =>
  Effect.callback((resume) => {
    const secured = tls.connect({ socket, ...(isIP(host) === 0 ? { servername: host } : { host }) })
    secured.once("secureConnect", () => resume(Effect.succeed(Date.parse(secured.getPeerCertificate().valid_to))))
    secured.on("error", (error) => resume(Effect.fail(networkFailure(error, host))))
    return Effect.sync(() => secured.destroy())
  })
