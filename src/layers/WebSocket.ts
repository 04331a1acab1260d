/**
 * `Transport` over `ws`, the only importer of its client. A socket ends once, as one of the contract's kinds: whatever `ws`
 * says later, or fails to say, changes nothing. It is never paused, and it keeps an error listener for life.
 */
import { Duration, Effect, Layer } from "effect"
import type { Agent } from "node:http"
import { WebSocket } from "ws"
import type { ClientOptions } from "ws"
import { ClosedByServer, ConnectTimeout, NoCloseFrame, Protocol } from "../domain/LinkError.ts"
import type { LinkError } from "../domain/LinkError.ts"
import type { OpenOptions, Socket } from "../platforms/Transport.ts"
import { Transport } from "../platforms/Transport.ts"
import { Agents } from "./Agents.ts"
import type { Arrivals } from "./Arrivals.ts"
import { bounds, closeWithin, isFault, linkError, makeArrivals } from "./Arrivals.ts"
import { upgraded } from "./upgrade.ts"

export const layer: Layer.Layer<Transport, never, Agents> = Layer.effect(
  Transport,
  Effect.map(Agents, (agents) => Transport.of({ open: (options) => open(agents, options) }))
)

const open = Effect.fnUntraced(function* (agents: Agents["Service"], options: OpenOptions) {
  const url = URL.parse(options.url)
  if (url === null || !/^wss?:$/.test(url.protocol)) {
    return yield* linkError(options.platform, new Protocol({ detail: "the socket's address is not a ws: or wss: URL" }))
  }
  url.hash = ""
  const agent = yield* agents.make({})
  const arrivals = yield* makeArrivals(options)
  const settings = clientOptions(url.protocol === "wss:" ? agent.https : agent.http, options)
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => listen(new WebSocket(url, settings), arrivals)),
    (socket, exit) => (isFault(exit) ? terminate(socket) : close(socket, 1000, ""))
  )
  yield* upgraded(socket, url.hostname, options).pipe(
    Effect.timeoutOrElse({ duration: options.timeout, orElse: () => Effect.fail(tooLate(options)) }),
    Effect.onError(() => terminate(socket))
  )
  return socketOf(socket, arrivals, options, url.hostname)
})

/** Deflate is off, for its memory; `closeTimeout`, which the types do not know, bounds a close that the server began. */
const clientOptions = (
  agent: Agent,
  { headers = {} }: OpenOptions
): ClientOptions & { readonly closeTimeout: number } => ({
  agent,
  headers,
  followRedirects: false,
  perMessageDeflate: false,
  maxPayload: bounds.bytes,
  closeTimeout: Duration.toMillis(closeWithin)
})

const tooLate = (options: OpenOptions): LinkError =>
  linkError(options.platform, new ConnectTimeout({ step: "socket", afterMillis: Duration.toMillis(options.timeout) }))

/** From here on until it is closed, everything the socket does ends up in its arrivals. */
const listen = (socket: WebSocket, arrivals: Arrivals): WebSocket => {
  let fault: NodeJS.ErrnoException | undefined
  socket.on("upgrade", (response) => {
    // Any byte is a sign of life of the path: a pong, a ping, the middle of a long message. `ws` listens first: what came
    // with the upgrade goes to whoever listens already.
    socket.once("open", () => response.socket.on("data", arrivals.touch))
    // `ws` keeps a connection's own error to itself and closes with 1006.
    response.socket.on("error", (error) => (fault = error))
  })
  socket.on("message", (data, isBinary) => {
    // With the default binary type `ws` hands out a Buffer of its own for each message.
    const bytes = data as Buffer
    if (!arrivals.offer(isBinary ? bytes : bytes.toString())) socket.terminate()
  })
  socket.on("error", (error) => {
    arrivals.end(reasonOf(error))
    socket.terminate()
  })
  socket.on("close", (code, reason) => {
    arrivals.end(
      code === 1006
        ? new NoCloseFrame({ detail: fault === undefined ? "the stream ended" : (fault.code ?? fault.message) })
        : new ClosedByServer({ code, reason: reason.toString() })
    )
  })
  return socket
}

const reasonOf = (error: NodeJS.ErrnoException): NoCloseFrame | Protocol => {
  const detail = error.message.slice(0, 200)
  return error.code?.startsWith("WS_ERR_") ? new Protocol({ detail }) : new NoCloseFrame({ detail })
}

const socketOf = (socket: WebSocket, arrivals: Arrivals, options: OpenOptions, host: string): Socket => {
  /** After a failed write nothing good can come: the socket goes, and its end tells why. */
  const write = (start: (done: (error?: Error | null) => void) => void) =>
    Effect.callback<void, LinkError>((resume) => {
      start((error) => {
        if (!error) return resume(Effect.void)
        socket.terminate()
        resume(
          Effect.fail(linkError(options.platform, new NoCloseFrame({ detail: `a write failed: ${error.message}` })))
        )
      })
    })
  return {
    host,
    messages: arrivals.queue,
    send: (data) => write((done) => socket.send(data, done)),
    ping: write((done) => socket.ping(undefined, undefined, done)),
    heard: Effect.sync(arrivals.heard),
    close: (code, reason) => close(socket, code, reason ?? ""),
    terminate: terminate(socket)
  }
}

const terminate = (socket: WebSocket): Effect.Effect<void> => Effect.sync(() => socket.terminate())

/** Says goodbye and waits for the answer; a far side that does not answer is left. */
const close = (socket: WebSocket, code: number, reason: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (socket.readyState === socket.CLOSED) return resume(Effect.void)
    const closed = () => resume(Effect.void)
    socket.once("close", closed)
    socket.close(code, reason)
    return Effect.sync(() => socket.off("close", closed))
  }).pipe(Effect.timeoutOption(closeWithin), Effect.andThen(terminate(socket)))
