/** One policy for REST calls and WebSockets, over real proxies and real TLS on loopback. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Duration, Effect, Latch, Queue } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import * as net from "node:net"
import * as tls from "node:tls"
import { PlatformId } from "../../src/domain/Address.ts"
import { networkFailure } from "../../src/domain/networkFailure.ts"
import * as Egress from "../../src/layers/Egress.ts"
import { Transport } from "../../src/platforms/Transport.ts"
import { json } from "../../src/testing/HttpAnswer.ts"
import * as Peer from "../../src/testing/Peer.ts"
import { certificate } from "../certificates.ts"
import { cert, key } from "./certificate.ts"

/** What NODE_EXTRA_CA_CERTS does for a process. */
beforeAll(() => tls.setDefaultCACertificates([...tls.getCACertificates(), cert]))

/** A server that takes REST calls and sockets. */
const far = Effect.fnUntraced(function* (certificate?: { readonly cert: string; readonly key: string }) {
  const lines = yield* Queue.unbounded<void>()
  return yield* Peer.serve(
    {
      http: (asked) => Effect.succeed(json({ path: asked.path, host: asked.headers.host })),
      upgrade: Effect.succeed(null),
      socket: () => Effect.as(Queue.offer(lines, undefined), { receive: () => Effect.void, gone: Effect.void })
    },
    certificate
  )
})

/** A REST call and a socket to one host: what became of each. */
const both = (authority: string, scheme: "secure" | "plain" = "secure", timeout = Duration.seconds(5)) =>
  Effect.gen(function* () {
    const http = yield* HttpClient
    const transport = yield* Transport
    const [rest, socket] = scheme === "secure" ? ["https", "wss"] : ["http", "ws"]
    const called = http.get(`${rest}://${authority}/rest`).pipe(
      Effect.flatMap((response) => response.text),
      Effect.mapError((error) => networkFailure(error, authority))
    )
    const opened = transport
      .open({ platform: PlatformId.make("p"), url: `${socket}://${authority}/socket`, timeout })
      .pipe(
        Effect.mapError(({ reason }) => reason),
        Effect.asVoid
      )
    return { called, opened }
  })

const succeed = (ways: Effect.Success<ReturnType<typeof both>>) => Effect.andThen(ways.called, ways.opened)

const fail = (ways: Effect.Success<ReturnType<typeof both>>) =>
  Effect.all([Effect.flip(ways.called), Effect.flip(ways.opened)])

const through = <A, E>(options: Egress.Options, effect: Effect.Effect<A, E, HttpClient | Transport | Scope.Scope>) =>
  Effect.provide(effect, Egress.layer(options))

describe("through a proxy", () => {
  it.live("F069: both tunnel, to names that only the proxy resolves", () =>
    Effect.gen(function* () {
      const port = yield* far({ cert, key })
      const proxy = yield* Peer.connectProxy(() => port)
      const environment = { HTTPS_PROXY: `http://ann:secret@127.0.0.1:${proxy.port}` }

      yield* through({ proxy: "env", environment }, Effect.flatMap(both("api.target.test"), succeed))

      const authorization = `Basic ${btoa("ann:secret")}`
      assert.deepStrictEqual(yield* proxy.tunnels, [
        { to: "api.target.test:443", authorization },
        { to: "api.target.test:443", authorization }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("F069: so do they without TLS", () =>
    Effect.gen(function* () {
      const port = yield* far()
      const proxy = yield* Peer.connectProxy(() => port)

      yield* through({ proxy: `http://127.0.0.1:${proxy.port}` }, Effect.flatMap(both("plain.test", "plain"), succeed))

      assert.deepStrictEqual(
        (yield* proxy.tunnels).map(({ to }) => to),
        ["plain.test:80", "plain.test:80"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("F070: neither does where NO_PROXY has the host", () =>
    Effect.gen(function* () {
      const port = yield* far()
      const proxy = yield* Peer.connectProxy(() => port)
      const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "127.0.0.0/8" }

      yield* through({ proxy: "env", environment }, Effect.flatMap(both(`127.0.0.1:${port}`, "plain"), succeed))

      assert.deepStrictEqual(yield* proxy.tunnels, [])
    }).pipe(Effect.scoped)
  )

  it.live("F072: the certificate is checked against the target's name", () =>
    Effect.gen(function* () {
      const port = yield* far({ cert, key })
      const proxy = yield* Peer.connectProxy(() => port)

      const reasons = yield* through(
        { proxy: `http://127.0.0.1:${proxy.port}` },
        Effect.flatMap(both("other.test"), fail)
      )

      assert.deepStrictEqual(
        reasons.map(({ _tag }) => _tag),
        ["Tls", "Tls"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("F074: a proxy that is not there is to blame, by its name and without its password", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(far())

      const reasons = yield* through(
        { proxy: `http://ann:secret@127.0.0.1:${port}` },
        Effect.flatMap(both("a.test"), fail)
      )

      const blame = { _tag: "Proxy", proxy: `http://127.0.0.1:${port}`, detail: "refused, nothing listens there" }
      for (const reason of reasons) assert.containSubset(reason, blame)
      assert.notInclude(JSON.stringify(reasons), "secret")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    [
      "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
      "it asks for a user and password (407)"
    ],
    ["HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", "it refused the tunnel with 502"],
    ["SSH-2.0-OpenSSH_9.9\r\n", "it did not answer as a proxy does"]
  ])("F074: a proxy that answers %j is to blame", ([raw, detail]) =>
    Effect.gen(function* () {
      const proxy = yield* Peer.connectProxy(() => 0)
      yield* proxy.answer(raw ?? "")

      const reasons = yield* through({ proxy: `http://127.0.0.1:${proxy.port}` }, Effect.flatMap(both("a.test"), fail))

      for (const reason of reasons) assert.containSubset(reason, { _tag: "Proxy", detail })
    }).pipe(Effect.scoped)
  )

  it.live("F074: a proxy whose scheme is not supported is not gone round", () =>
    Effect.gen(function* () {
      const port = yield* far()
      const environment = { HTTP_PROXY: "socks5://127.0.0.1:1080" }

      const reasons = yield* through(
        { proxy: "env", environment },
        Effect.flatMap(both(`127.0.0.1:${port}`, "plain"), fail)
      )

      for (const reason of reasons) assert.containSubset(reason, { _tag: "Proxy", proxy: "socks5://127.0.0.1:1080" })
    }).pipe(Effect.scoped)
  )

  it.live("F074: a proxy that hangs is to blame before the attempt's own time is over", () =>
    Effect.gen(function* () {
      const proxy = yield* Peer.connectProxy(() => 0)
      yield* proxy.answer("")
      const options = { proxy: `http://127.0.0.1:${proxy.port}`, tunnelWithin: Duration.millis(200) }

      const reasons = yield* through(options, Effect.flatMap(both("a.test"), fail))

      const blame = { _tag: "Proxy", proxy: options.proxy, detail: "it hangs: no answer within 200 ms" }
      for (const reason of reasons) assert.containSubset(reason, blame)
    }).pipe(Effect.scoped)
  )

  it.live("an attempt that a silent proxy holds up times out, and its tunnel goes with it", () =>
    Effect.gen(function* () {
      const proxy = yield* Peer.connectProxy(() => 0)
      const relay = yield* Peer.relay(proxy.port)
      yield* proxy.answer("")

      const reason = yield* through(
        { proxy: `http://127.0.0.1:${relay.port}` },
        Effect.flatMap(both("a.test", "plain", Duration.millis(200)), ({ opened }) =>
          Effect.scoped(Effect.flip(opened))
        )
      )
      while (yield* relay.inUse) yield* Effect.sleep("5 millis")

      assert.containSubset(reason, { _tag: "ConnectTimeout", step: "socket" })
    }).pipe(Effect.scoped)
  )
})

describe("straight", () => {
  it.live("F070: an extra CA is trusted by both", () =>
    Effect.gen(function* () {
      const port = yield* far({ cert, key })

      // The name is wrong, the signature is not: without the CA it would not get as far as the name.
      const reasons = yield* through({ proxy: "none" }, Effect.flatMap(both(`127.0.0.1:${port}`), fail))

      for (const reason of reasons) {
        assert(reason._tag === "Tls")
        assert.include(reason.detail, "ERR_TLS_CERT_ALTNAME_INVALID")
      }
    }).pipe(Effect.scoped)
  )

  it.live("a slow host holds up no turn that may run: as many calls as there are turns at once are under way", () =>
    Effect.gen(function* () {
      const turns = 256
      const all = yield* Latch.make()
      let asked = 0
      const http = () =>
        Effect.suspend(() => (++asked === turns ? all.open : Effect.void)).pipe(
          Effect.andThen(all.await),
          Effect.as(json({}))
        )
      const port = yield* Peer.serve({ http, upgrade: Effect.succeed(null), socket: () => Effect.die("no socket") })

      const answers = yield* through(
        { proxy: "none" },
        Effect.flatMap(HttpClient, (client) =>
          Effect.forEach(Array.from({ length: turns }), () => client.get(`http://127.0.0.1:${port}/turn`), {
            concurrency: "unbounded"
          })
        )
      ).pipe(Effect.timeout("20 seconds"))

      assert.lengthOf(answers, turns)
    }).pipe(Effect.scoped)
  )

  it.live("a name is tried at all its addresses", () =>
    Effect.gen(function* () {
      const port = yield* far()

      // `localhost` is ::1 first on many machines, and the server is on 127.0.0.1 only.
      yield* through({ proxy: "none" }, Effect.flatMap(both(`localhost:${port}`, "plain"), succeed))
    }).pipe(Effect.scoped)
  )

  it.live("TLS where none is spoken is a Tls failure", () =>
    Effect.gen(function* () {
      const port = yield* far()

      const reasons = yield* through({ proxy: "none" }, Effect.flatMap(both(`127.0.0.1:${port}`), fail))

      assert.deepStrictEqual(
        reasons.map(({ _tag }) => _tag),
        ["Tls", "Tls"]
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["expired", { until: -0.5 }, "renew it"],
    ["notYetValid", { from: 1 }, "clock is behind"],
    ["selfSigned", {}, "NODE_EXTRA_CA_CERTS"]
  ] as const)("a certificate that is %s is told as such by both", ([fault, dates, hint]) =>
    Effect.gen(function* () {
      const made = certificate({ names: ["127.0.0.1"], ...dates })
      // Whose dates are looked at has to be trusted; who is not trusted is told so first.
      if (fault !== "selfSigned") tls.setDefaultCACertificates([...tls.getCACertificates(), made.cert])
      const port = yield* far(made)

      const reasons = yield* through({ proxy: "none" }, Effect.flatMap(both(`127.0.0.1:${port}`), fail))

      for (const reason of reasons) {
        assert.containSubset(reason, { _tag: "Tls", fault })
        assert.include(reason.hint, hint)
      }
    }).pipe(Effect.scoped)
  )

  it.live("what is no HTTP is undecodable to both", () =>
    Effect.gen(function* () {
      const port = yield* Peer.listen(net.createServer((socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n\r\n")))

      const reasons = yield* through({ proxy: "none" }, Effect.flatMap(both(`127.0.0.1:${port}`, "plain"), fail))

      assert.deepStrictEqual(
        reasons.map(({ _tag }) => _tag),
        ["Protocol", "Protocol"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a TLS handshake that is cut off is a Tls failure, by name", () =>
    Effect.gen(function* () {
      const port = yield* Peer.listen(net.createServer((socket) => void socket.once("data", () => socket.end())))

      const reasons = yield* through({ proxy: "none" }, Effect.flatMap(both(`127.0.0.1:${port}`), fail))

      for (const reason of reasons) assert.containSubset(reason, { _tag: "Tls", fault: "ended" })
    }).pipe(Effect.scoped)
  )
})
