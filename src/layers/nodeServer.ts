/**
 * Node's HTTP server, bounded in time, and its own refusals: what it answers where no route does. They have the form of
 * every other refusal of the API.
 */
import { Predicate } from "effect"
import type { Server } from "node:http"
import { createServer, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

interface Problem {
  readonly what: string
  readonly where: string
  readonly hint: string
}

const requestMillis = 30_000
const headersMillis = 10_000
const checkMillis = 5_000

export const makeServer = (): Server => {
  const server = createServer({
    requestTimeout: requestMillis,
    headersTimeout: headersMillis,
    connectionsCheckingInterval: checkMillis
  })
  // An error is told by whoever keeps the server; one that nobody listens for would end the process.
  server.on("error", () => {})
  server.on("clientError", refuse)
  // It listens before its routes are there, and after they are gone: Node would leave a request without an answer for ever.
  server.on("request", (_, response) => {
    if (server.listenerCount("request") > 1) return
    response.writeHead(503, { "content-type": "application/json", "retry-after": "1", connection: "close" })
    response.end(bodyOf(unready))
  })
  return server
}

const unready: Problem = { what: "the gateway starts or stops", where: "the gateway", hint: "ask again in a second" }

/** What Node's parser refuses, by the code of its error. */
const problems: ReadonlyMap<unknown, readonly [status: number, problem: Problem]> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    [431, { what: "the headers are too large", where: "the headers", hint: "send at most 16 KiB of them" }]
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    [408, { what: "the request took too long", where: "the request", hint: "send all of it within 30 s" }]
  ]
])
const malformed = [400, { what: "this is no HTTP request", where: "the request", hint: "speak HTTP/1.1" }] as const

const refuse = (error: unknown, socket: Duplex): void => {
  const code = Predicate.hasProperty(error, "code") ? error.code : undefined
  // A peer that is gone, or an answer that has begun: there is nothing more to say.
  if (code === "ECONNRESET" || !socket.writable || hasAnswer(socket)) return void socket.destroy()
  const [status, problem] = problems.get(code) ?? malformed
  const body = bodyOf(problem)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close"
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
}

/** Node's own mark of the answer that is being written. */
const hasAnswer = (socket: Duplex): boolean =>
  Predicate.hasProperty(socket, "_httpMessage") &&
  Predicate.hasProperty(socket._httpMessage, "_headerSent") &&
  socket._httpMessage._headerSent === true

const bodyOf = (problem: Problem): string => JSON.stringify({ _tag: "Refused", ...problem })
