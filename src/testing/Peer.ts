/**
 * Loopback far ends, shared by the platforms' peers: an HTTP and WebSocket server, a TCP relay that swallows, a CONNECT proxy.
 * Real sockets on ports that the system picks; everything ends with the scope. One of the few files that know Node.
 */
import type { Scope } from "effect"
import { Effect, FiberSet } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import type { WebSocket } from "ws"
import type { SocketMessage } from "../platforms/Transport.ts"
import type { HttpAnswer, HttpAsked } from "./HttpAnswer.ts"
import type { Line, Upgrade } from "./Line.ts"

export interface Handlers {
  readonly http: (asked: HttpAsked) => Effect.Effect<HttpAnswer>
  /** Null: accepted. */
  readonly upgrade: Effect.Effect<Upgrade | null>
  readonly socket: (socket: Line) => Effect.Effect<{
    readonly receive: (message: SocketMessage) => Effect.Effect<void>
    readonly gone: Effect.Effect<void>
  }>
}

/** Serves on a loopback port, which it returns; over TLS where there is a certificate. */
export const serve = Effect.fnUntraced(function* (
  handlers: Handlers,
  certificate?: { readonly cert: string; readonly key: string }
): Effect.fn.Return<number, never, Scope.Scope> {
  const run = yield* FiberSet.makeRuntime<never>()
  const server = certificate === undefined ? http.createServer() : https.createServer(certificate)
  server.on("request", (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      run(Effect.map(handlers.http(asked(request, chunks)), (answer) => respond(request, response, answer)))
    })
  })
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })
  server.on("upgrade", (request, stream: Duplex, head) => {
    stream.on("error", () => stream.destroy())
    const accept = () => sockets.handleUpgrade(request, stream, head, (socket) => run(live(socket, stream, handlers)))
    run(Effect.map(handlers.upgrade, (upgrade) => (upgrade === null ? accept() : decline(stream, upgrade))))
  })
  return yield* listen(server)
})

const asked = (request: http.IncomingMessage, chunks: ReadonlyArray<Uint8Array>): HttpAsked => {
  const url = new URL(request.url ?? "/", "http://peer")
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value ?? "")])
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString()
  }
}

const respond = (request: http.IncomingMessage, response: http.ServerResponse, answer: HttpAnswer): void => {
  switch (answer._tag) {
    case "Answer":
      response.writeHead(answer.status, answer.headers).end(answer.body)
      return
    case "Reset":
      request.socket.resetAndDestroy()
      return
    case "Hang":
      return
  }
}

const decline = (stream: Duplex, upgrade: Upgrade): void => {
  switch (upgrade._tag) {
    case "Refuse": {
      const headers = Object.entries({ connection: "close", "content-length": "7", ...upgrade.headers })
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
      stream.end(`HTTP/1.1 ${upgrade.status} ${http.STATUS_CODES[upgrade.status] ?? "Refused"}\r\n${lines}\r\nrefused`)
      return
    }
    case "Reset":
      reset(stream)
      return
    case "Hang":
      return
  }
}

const reset = (stream: Duplex): void => {
  if (stream instanceof net.Socket) stream.resetAndDestroy()
  else stream.destroy()
}

/** A socket's life: returns when it has ended. */
const live = Effect.fnUntraced(function* (socket: WebSocket, stream: Duplex, handlers: Handlers) {
  const run = yield* FiberSet.makeRuntime<never>()
  let pongs = true
  let silent = false
  const act = (action: () => void) =>
    Effect.sync(() => {
      if (!silent && socket.readyState === socket.OPEN) action()
    })
  const { receive, gone } = yield* handlers.socket({
    push: (message) => act(() => socket.send(message)),
    close: (code, reason) => act(() => (code === 1006 ? socket.terminate() : socket.close(code, reason))),
    drop: Effect.sync(() => reset(stream)),
    goSilent: Effect.sync(() => {
      silent = true
      socket.pause()
    }),
    answerPings: (on) =>
      Effect.sync(() => {
        pongs = on
      })
  })
  // A socket that breaks says so by closing; that it had an error is nothing of ours.
  socket.on("error", () => socket.terminate())
  socket.on("ping", (data) => run(act(() => pongs && socket.pong(data))))
  // With the default binary type `ws` hands out a Buffer of its own for each message.
  socket.on("message", (data, isBinary) => run(receive(isBinary ? (data as Buffer) : String(data))))
  yield* Effect.callback<void>((resume) => void socket.on("close", () => resume(Effect.void)))
  yield* gone
}, Effect.scoped)

/** Between a client and a server: hands everything on until it is told to do otherwise. */
export interface Relay {
  readonly port: number
  /** Half-open both ways: bytes vanish, also those of new connections, and nobody is told of an end. */
  readonly swallow: (on: boolean) => Effect.Effect<void>
  /** Resets every connection. */
  readonly cut: Effect.Effect<void>
  /** Whether any client still has its connection open. */
  readonly inUse: Effect.Effect<boolean>
}

export const relay = Effect.fnUntraced(function* (target: number): Effect.fn.Return<Relay, never, Scope.Scope> {
  const pairs = new Set<net.Socket>()
  const clients = new Set<net.Socket>()
  let swallowing = false
  const join = (from: net.Socket, to: net.Socket) => {
    pairs.add(from)
    from.on("data", (chunk) => swallowing || to.write(chunk))
    from.on("end", () => swallowing || to.end())
    from.on("error", () => swallowing || to.resetAndDestroy())
    from.on("close", () => {
      pairs.delete(from)
      if (!swallowing) to.end()
    })
  }
  const server = net.createServer((client) => {
    const upstream = net.connect(target, "127.0.0.1")
    clients.add(client)
    client.on("close", () => clients.delete(client))
    join(client, upstream)
    join(upstream, client)
  })
  const port = yield* listen(server)
  yield* Effect.addFinalizer(() => Effect.sync(() => pairs.forEach((socket) => socket.destroy())))
  return {
    port,
    swallow: (on) =>
      Effect.sync(() => {
        swallowing = on
      }),
    cut: Effect.sync(() => pairs.forEach((socket) => socket.resetAndDestroy())),
    inUse: Effect.sync(() => clients.size > 0)
  }
})

/** A CONNECT proxy that tells what it was asked for. */
export interface ConnectProxy {
  readonly port: number
  /** host:port of every tunnel asked for, with what the client gave as `proxy-authorization`. */
  readonly tunnels: Effect.Effect<ReadonlyArray<{ readonly to: string; readonly authorization: string | null }>>
  /** With what tunnels are answered, in place of being opened; null: they are opened again. */
  readonly answer: (raw: string | null) => Effect.Effect<void>
}

/** `resolve` says to which loopback port a name leads. */
export const connectProxy = Effect.fnUntraced(function* (
  resolve: (authority: string) => number
): Effect.fn.Return<ConnectProxy, never, Scope.Scope> {
  const tunnels: Array<{ readonly to: string; readonly authorization: string | null }> = []
  let scripted: string | null = null
  const server = http.createServer((_, response) => response.writeHead(400).end())
  server.on("connect", (request, client: Duplex) => {
    client.on("error", () => client.destroy())
    const to = request.url ?? ""
    tunnels.push({ to, authorization: request.headers["proxy-authorization"] ?? null })
    if (scripted !== null) return void client.write(scripted)
    const upstream = net.connect(resolve(to), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n")
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on("error", () => client.destroy())
    client.on("close", () => upstream.destroy())
  })
  return {
    port: yield* listen(server),
    tunnels: Effect.sync(() => Array.from(tunnels)),
    answer: (raw) =>
      Effect.sync(() => {
        scripted = raw
      })
  }
})

/** On loopback until the scope closes, which ends every connection too. */
export const listen = (server: net.Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<net.Socket>()
    server.on("connection", (socket: net.Socket) => {
      open.add(socket)
      socket.on("close", () => open.delete(socket))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          open.forEach((socket) => socket.destroy())
        })
    )
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
