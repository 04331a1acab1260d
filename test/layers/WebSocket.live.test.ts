/** Real sockets on loopback: how they open, how they do not, and how they end. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Queue, Scope } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import { Auth } from "../../src/domain/LinkError.ts"
import { bounds } from "../../src/layers/Arrivals.ts"
import * as Egress from "../../src/layers/Egress.ts"
import type { OpenOptions, SocketMessage } from "../../src/platforms/Transport.ts"
import { Transport } from "../../src/platforms/Transport.ts"
import { page } from "../../src/testing/HttpAnswer.ts"
import type { Line, Upgrade } from "../../src/testing/Line.ts"
import * as Peer from "../../src/testing/Peer.ts"

const optionsOf = (url: string, options: Partial<OpenOptions> = {}): OpenOptions => ({
  platform: PlatformId.make("p"),
  url,
  timeout: Duration.seconds(5),
  ...options
})

const opened = (url: string, options: Partial<OpenOptions> = {}) =>
  Effect.flatMap(Transport, (transport) => transport.open(optionsOf(url, options)))

/** A server that tells of its sockets and of what it received. */
const server = Effect.fnUntraced(function* (upgrade: Upgrade | null = null) {
  const lines = yield* Queue.unbounded<Line>()
  const received = yield* Queue.unbounded<SocketMessage>()
  const gone = yield* Queue.unbounded<void>()
  const port = yield* Peer.serve({
    http: () => Effect.succeed(page(404, "")),
    upgrade: Effect.succeed(upgrade),
    socket: (line) =>
      Effect.as(Queue.offer(lines, line), {
        receive: (message) => Effect.asVoid(Queue.offer(received, message)),
        gone: Effect.asVoid(Queue.offer(gone, undefined))
      })
  })
  return { url: `ws://127.0.0.1:${port}/ws?ticket=secret`, port, lines, received, gone }
})

const connected = Effect.fnUntraced(function* () {
  const far = yield* server()
  const socket = yield* opened(far.url)
  return { ...far, socket, line: yield* Queue.take(far.lines) }
})

/** How the socket ended, once what came before it was taken. */
const ending = (socket: { readonly messages: Queue.Dequeue<SocketMessage, { readonly reason: unknown }> }) =>
  Effect.map(Effect.flip(Effect.forever(Queue.take(socket.messages))), ({ reason }) => reason)

const live = <A, E>(body: () => Effect.Effect<A, E, Scope.Scope | Transport>) =>
  Effect.suspend(body).pipe(Effect.scoped, Effect.provide(Egress.layer({ proxy: "none" })))

describe("a socket that opens", () => {
  it.live("carries text and bytes both ways, in order", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line, received } = yield* connected()

        yield* socket.send("one")
        yield* socket.send(Uint8Array.of(2))
        yield* line.push("eins")
        yield* line.push(Uint8Array.of(2))

        assert.strictEqual(yield* Queue.take(received), "one")
        assert.deepStrictEqual(yield* Queue.take(received), Buffer.of(2))
        assert.strictEqual(yield* Queue.take(socket.messages), "eins")
        assert.deepStrictEqual(yield* Queue.take(socket.messages), Buffer.of(2))
      })
    )
  )

  it.live("hears bytes that are no message: a pong is life of the path", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket } = yield* connected()
        const before = yield* socket.heard

        yield* Effect.sleep("20 millis")
        yield* socket.ping
        while ((yield* socket.heard).byteAt === before.byteAt) yield* Effect.sleep("5 millis")

        assert.strictEqual((yield* socket.heard).messageAt, before.messageAt)
      })
    )
  )

  it.live("says goodbye with 1000 when its scope closes, and the server hears of it", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server()
        const scope = yield* Scope.make()
        const socket = yield* Scope.provide(opened(far.url), scope)

        yield* Scope.close(scope, Exit.void)

        yield* Queue.take(far.gone)
        assert.containSubset(yield* ending(socket), { _tag: "ClosedByServer", code: 1000 })
      })
    )
  )

  it.live("F023: leaves a far side that does not answer the close frame after 2 s", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server()
        const scope = yield* Scope.make()
        yield* Scope.provide(opened(far.url), scope)
        yield* (yield* Queue.take(far.lines)).goSilent

        const [took] = yield* Effect.timed(Scope.close(scope, Exit.interrupt(1)))

        assert.closeTo(Duration.toSeconds(took), 2, 1)
      })
    )
  )

  it.live("goes at once when its scope failed", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server()
        const scope = yield* Scope.make()
        yield* Scope.provide(opened(far.url), scope)
        yield* (yield* Queue.take(far.lines)).goSilent

        const [took] = yield* Effect.timed(Scope.close(scope, Exit.fail("over")))

        assert.isBelow(Duration.toSeconds(took), 1)
      })
    )
  )
})

describe("a socket that ends", () => {
  it.live("tells what came before it, then the code and reason of the server", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()

        yield* line.push("last words")
        yield* line.close(1011, "keepalive ping timeout")

        assert.strictEqual(yield* Queue.take(socket.messages), "last words")
        assert.containSubset(yield* ending(socket), {
          _tag: "ClosedByServer",
          code: 1011,
          reason: "keepalive ping timeout"
        })
      })
    )
  )

  it.live("F023: ends 2 s after the server's close frame where the server keeps TCP open", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()

        yield* line.close(1011, "restarting")
        yield* line.goSilent

        assert.containSubset(yield* ending(socket), { _tag: "ClosedByServer", code: 1011, reason: "restarting" })
      })
    )
  )

  it.live("F126: a write after the server's close frame fails, and the end still tells the server's code", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()

        yield* line.close(4000, "enough")
        yield* line.goSilent
        yield* Effect.sleep("50 millis")
        const written = yield* Effect.flip(socket.send("ack"))

        assert.strictEqual(written.reason._tag, "NoCloseFrame")
        assert.containSubset(yield* ending(socket), { _tag: "ClosedByServer", code: 4000 })
      })
    )
  )

  it.live("F002: a reset is an end without a close frame", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()

        yield* line.drop

        assert.containSubset(yield* ending(socket), { _tag: "NoCloseFrame", detail: "ECONNRESET" })
      })
    )
  )

  it.live("so is a stream that just ends", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()

        yield* line.close(1006)

        assert.containSubset(yield* ending(socket), { _tag: "NoCloseFrame" })
      })
    )
  )

  it.live("F006: a failed write is a dead socket: the write fails, and so does reading", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()
        yield* line.drop
        yield* ending(socket)

        const failures = yield* Effect.all([Effect.flip(socket.send("ack")), Effect.flip(socket.ping)])

        assert.deepStrictEqual(
          failures.map(({ reason }) => reason._tag),
          ["NoCloseFrame", "NoCloseFrame"]
        )
      })
    )
  )

  it.live("F001: says nothing by itself when the path goes black, and its writes still seem to succeed", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server()
        const relay = yield* Peer.relay(far.port)
        const socket = yield* opened(`ws://127.0.0.1:${relay.port}/`)
        const line = yield* Queue.take(far.lines)
        yield* relay.swallow(true)
        const before = yield* socket.heard

        yield* line.push("lost")
        yield* socket.ping
        yield* socket.send("lost")
        yield* Effect.sleep("100 millis")

        assert.deepStrictEqual(yield* socket.heard, before)
        assert.strictEqual(yield* Queue.size(socket.messages), 0)
        assert.strictEqual(yield* Queue.size(far.received), 0)
      })
    )
  )

  it.live("ends as Overrun when more waits than may, and can still be read up to there", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line, gone } = yield* connected()

        for (let i = 0; i <= bounds.messages; i++) yield* line.push(String(i))
        yield* Queue.take(gone)

        assert.strictEqual((yield* Queue.takeN(socket.messages, bounds.messages)).length, bounds.messages)
        assert.containSubset(yield* ending(socket), { _tag: "Overrun", frames: bounds.messages + 1 })
      })
    )
  )

  it.live("ends as Overrun when more bytes wait than may; what was taken no longer waits", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line, gone } = yield* connected()
        const third = new Uint8Array(bounds.bytes / 3)

        yield* Effect.forEach([1, 2, 3, 4, 5], () => Effect.andThen(line.push(third), Queue.take(socket.messages)))
        yield* Effect.forEach([1, 2, 3, 4], () => line.push(third))
        yield* Queue.take(gone)

        assert.containSubset(yield* ending(socket), { _tag: "Overrun" })
      })
    )
  )

  it.live("ends as Protocol on a message larger than all that may wait", () =>
    live(
      Effect.fnUntraced(function* () {
        const { socket, line } = yield* connected()

        yield* line.push(new Uint8Array(bounds.bytes + 1))

        assert.containSubset(yield* ending(socket), { _tag: "Protocol" })
      })
    )
  )

  it.live("F027: a close in the same tick as our own end is one end, 50 times over", () =>
    live(
      Effect.fnUntraced(function* () {
        for (let i = 0; i < 50; i++) {
          const { socket, line } = yield* connected()
          yield* Effect.all([line.close(1000), socket.terminate, socket.close(1000)], { concurrency: "unbounded" })
          yield* ending(socket)
        }
      })
    )
  )
})

describe("a socket that does not open", () => {
  const failure = (url: string, options?: Partial<OpenOptions>) =>
    Effect.map(Effect.flip(opened(url, options)), ({ reason }) => reason)

  it.live("F009: times out when the upgrade is not answered, and leaves nothing open", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server({ _tag: "Hang" })
        const relay = yield* Peer.relay(far.port)

        const reason = yield* failure(`ws://127.0.0.1:${relay.port}/`, { timeout: Duration.millis(200) })
        while (yield* relay.inUse) yield* Effect.sleep("5 millis")

        assert.containSubset(reason, { _tag: "ConnectTimeout", step: "socket", afterMillis: 200 })
      })
    )
  )

  it.live("F014: a reset before the upgrade is enough, three times in a row", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server({ _tag: "Reset" })

        const reasons = yield* Effect.forEach([1, 2, 3], () => failure(far.url))

        assert.deepStrictEqual(
          reasons.map(({ _tag }) => _tag),
          ["Network", "Network", "Network"]
        )
      })
    )
  )

  it.live("F004: a port where nobody listens refuses", () =>
    live(
      Effect.fnUntraced(function* () {
        const port = yield* Effect.scoped(Effect.map(server(), ({ port }) => port))

        const reason = yield* failure(`ws://127.0.0.1:${port}/`)

        assert.containSubset(reason, { _tag: "ConnectionRefused", address: `127.0.0.1:${port}` })
      })
    )
  )

  it.live("F037: a name that does not resolve is named", () =>
    live(
      Effect.fnUntraced(function* () {
        const reason = yield* failure("ws://evergate.invalid/")

        assert.containSubset(reason, { _tag: "Dns", host: "evergate.invalid" })
      })
    )
  )

  it.live("F010: a refused upgrade tells its status, the body's beginning and the wait that is asked for", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server({ _tag: "Refuse", status: 503, headers: { "retry-after": "3" } })

        const reason = yield* failure(far.url)

        assert.containSubset(reason, {
          _tag: "HandshakeRejected",
          status: 503,
          detail: "refused",
          retryAfterMillis: 3000
        })
      })
    )
  )

  it.live("an adapter reads a refusal first; a redirect is one, and is not followed", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server({
          _tag: "Refuse",
          status: 302,
          headers: { location: "http://127.0.0.1:1/", "x-code": "7" }
        })

        const read = yield* failure(far.url, {
          onRejected: (status, headers) => new Auth({ code: `${status}/${String(headers["x-code"])}`, detail: "" })
        })
        const unread = yield* failure(far.url, { onRejected: () => undefined })

        assert.containSubset(read, { _tag: "Auth", code: "302/7" })
        assert.containSubset(unread, { _tag: "HandshakeRejected", status: 302 })
      })
    )
  )

  it.live("a server that speaks something else is a Protocol failure", () =>
    live(
      Effect.fnUntraced(function* () {
        const proxy = yield* Peer.connectProxy(() => 0)

        const reason = yield* failure(`ws://127.0.0.1:${proxy.port}/`)

        assert.containSubset(reason, { _tag: "HandshakeRejected", status: 400 })
      })
    )
  )

  it.live.each(["http://127.0.0.1/", "nonsense", "ws://"])("%s is no address of a socket", (url) =>
    live(
      Effect.fnUntraced(function* () {
        assert.containSubset(yield* failure(url), { _tag: "Protocol" })
      })
    )
  )

  it.live("an attempt that is interrupted while it hangs is over at once", () =>
    live(
      Effect.fnUntraced(function* () {
        const far = yield* server({ _tag: "Hang" })

        const [took] = yield* Effect.timed(Effect.scoped(opened(far.url)).pipe(Effect.timeoutOption("100 millis")))

        assert.isBelow(Duration.toSeconds(took), 1)
      })
    )
  )
})
