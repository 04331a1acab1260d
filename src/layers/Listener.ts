/** The HTTP listener of the service, on Node: bounded in time and size, and never what a stop waits for. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer, Schedule, Schema } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import { hostname, networkInterfaces } from "node:os"

export interface ListenerOptions {
  readonly host: string
  readonly port: number
}

/** The port is taken, or the address is not one of this machine. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Number,
  detail: Schema.String
}) {
  override get message() {
    return `cannot listen on ${this.host}:${this.port}: ${this.detail}; free the port or set http.port`
  }
}

const requestMillis = 30_000
const headersMillis = 10_000
/** A port may still be held by the process that was here before. */
const patience = Schedule.max([Schedule.spaced(Duration.millis(500)), Schedule.recurs(20)])

/** Open streams of events do not hold the stop. */
const graceOfRequests = Duration.millis(500)

/**
 * It listens before its routes are there, and after they are gone: a request that comes then is told so, where Node would
 * leave it without an answer for ever.
 */
const server = () => {
  const listener = createServer({
    requestTimeout: requestMillis,
    headersTimeout: headersMillis,
    connectionsCheckingInterval: 5_000
  })
  return listener.on("request", (_, response) => {
    if (listener.listenerCount("request") > 1) return
    response.writeHead(503, { "retry-after": "1", connection: "close" }).end("starting or stopping\n")
  })
}

export const layer = ({ host, port }: ListenerOptions): Layer.Layer<HttpServer.HttpServer, ListenFailed> =>
  Layer.effect(
    HttpServer.HttpServer,
    NodeHttpServer.make(server, { host, port, gracefulShutdownTimeout: graceOfRequests }).pipe(
      Effect.mapError((error) => new ListenFailed({ host, port, detail: detailOf(error.cause) })),
      // A retry says so, or ten silent seconds would look like a hang.
      Effect.tapError((error) =>
        Effect.logInfo("not listening yet").pipe(Effect.annotateLogs({ error: error.message }))
      ),
      Effect.retry(patience)
    )
  )

const detailOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const wildcards = new Set(["0.0.0.0", "::", ""])

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address)

/** The names under which a listener may be asked for. */
export const namesOf = (host: string): ReadonlySet<string> => {
  const loopback = ["localhost", "127.0.0.1", "[::1]"]
  if (!wildcards.has(host)) return new Set([...loopback, bracketed(host.toLowerCase())])
  const addresses = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => bracketed(address))
  )
  return new Set([...loopback, hostname().toLowerCase(), ...addresses])
}
