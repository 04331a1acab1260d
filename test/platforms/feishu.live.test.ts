/** The adapter on real sockets, against the peer on loopback. */
import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Duration, Effect, Exit, Fiber, Queue, Stream } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import type { LinkError } from "../../src/domain/LinkError.ts"
import * as Egress from "../../src/layers/Egress.ts"
import type { Frame, Link, Platform } from "../../src/platforms/Platform.ts"
import * as Feishu from "../../src/platforms/feishu/Feishu.ts"
import type { Transport } from "../../src/platforms/Transport.ts"
import type { FeishuPeer } from "../../src/testing/feishu/FeishuPeer.ts"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"
import { hang, reset } from "../../src/testing/HttpAnswer.ts"
import { accountOf, outbound } from "./feishuAccount.ts"

const live = <A, E>(
  body: (peer: FeishuPeer, adapter: Platform) => Effect.Effect<A, E, Scope.Scope | Transport | HttpClient>
) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make()
    const adapter = yield* Feishu.make(accountOf(peer.url, { connectTimeout: Duration.millis(500) }))
    return yield* body(peer, adapter)
  }).pipe(Effect.scoped, Effect.provide(Egress.layer({ proxy: "none" })))

const take = (link: Link, n: number): Effect.Effect<ReadonlyArray<Frame>, LinkError> =>
  Stream.runCollect(Stream.take(link.frames, n))

const failure = (adapter: Platform) =>
  Effect.map(Effect.flip(Effect.scoped(adapter.connect(null))), ({ reason }) => reason)

const ending = (link: Link) => Effect.map(Effect.flip(Stream.runDrain(link.frames)), ({ reason }) => reason)

const beat = (link: Link) => (link.liveness.session._tag === "Answered" ? link.liveness.session.beat : Effect.never)

describe("Feishu on loopback", () => {
  it.live("hears, acknowledges, beats and answers", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        const link = yield* adapter.connect(null)
        const said = yield* peer.say({ text: "喂", mentions: [{ key: "@_user_1", id: "ou_bot", name: "Bot" }] })

        const [frame] = yield* take(link, 1)
        assert(frame?._tag === "Arrived")
        yield* frame.ack
        yield* said.acknowledged
        yield* beat(link)
        const [pong] = yield* take(link, 1)
        const receipt = yield* adapter.send(outbound({ replyTo: frame.event.messageId }))

        assert.containSubset(frame.event, { text: "喂", mentioned: true })
        assert.strictEqual(pong?._tag, "Alive")
        assert.deepStrictEqual(
          (yield* peer.exchange.ledger).map(({ messageId }) => messageId),
          [receipt.messageId]
        )
        assert.strictEqual(link.host, "127.0.0.1")
      })
    )
  )

  it.live("F001: a path that went black is heard no more, and its socket is left within 2 s", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        const [took, silence] = yield* Effect.scoped(
          Effect.gen(function* () {
            const link = yield* adapter.connect(null)
            yield* peer.relay.swallow(true)
            const before = yield* link.heard
            yield* beat(link)
            yield* peer.say({ text: "lost" })
            yield* Effect.sleep("100 millis")
            return [before, yield* link.heard] as const
          })
        ).pipe(Effect.timed)
        yield* peer.relay.swallow(false)

        assert.deepStrictEqual(silence[0], silence[1])
        assert.closeTo(Duration.toSeconds(took), 2, 1.5)
      })
    )
  )

  it.live("F050: a session that is dead behind a live path: pongs of the WebSocket come, frames do not", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        const link = yield* adapter.connect(null)
        yield* peer.pongs("none")
        const before = yield* link.heard
        const { path } = link.liveness
        assert(path !== null)

        yield* Effect.sleep("10 millis")
        yield* beat(link)
        yield* path.ping
        while ((yield* link.heard).byteAt === before.byteAt) yield* Effect.sleep("5 millis")

        assert.strictEqual((yield* link.heard).frameAt, before.frameAt)
      })
    )
  )

  it.live("F002: a reset and a close are told apart", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        const cut = yield* adapter.connect(null)
        yield* (yield* Queue.take(peer.connected)).drop
        const closed = yield* adapter.connect(null)
        yield* (yield* Queue.take(peer.connected)).close(1001, "going away")

        assert.containSubset(yield* ending(cut), { _tag: "NoCloseFrame" })
        assert.containSubset(yield* ending(closed), { _tag: "ClosedByServer", code: 1001 })
      })
    )
  )

  it.live("F031: each step of an attempt has its limit: an endpoint that hangs, an upgrade that hangs", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        yield* peer.exchange.endpoint.next(hang)
        const bootstrap = yield* failure(adapter)
        yield* peer.upgrades.next({ _tag: "Hang" })
        const socket = yield* failure(adapter)

        assert.containSubset(bootstrap, { _tag: "ConnectTimeout", step: "bootstrap" })
        assert.containSubset(socket, { _tag: "ConnectTimeout", step: "socket" })
      })
    )
  )

  it.live("F010: six failed upgrades and an accepted one are one socket", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        yield* peer.upgrades.next(...Array.from({ length: 6 }, () => ({ _tag: "Refuse", status: 500 }) as const))

        const reasons = yield* Effect.forEach(Array.from({ length: 6 }), () => failure(adapter))
        yield* adapter.connect(null)

        assert.deepStrictEqual(new Set(reasons.map(({ _tag }) => _tag)), new Set(["HandshakeRejected"]))
        assert.strictEqual((yield* peer.lines).length, 1)
      })
    )
  )

  it.live("a stop ends an attempt at once, whatever it waits for", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        yield* peer.exchange.endpoint.next(hang)
        const bootstrapping = yield* Effect.forkChild(Effect.scoped(adapter.connect(null)))
        yield* Effect.sleep("50 millis")
        yield* Fiber.interrupt(bootstrapping)
        yield* peer.upgrades.next({ _tag: "Hang" })
        const upgrading = yield* Effect.forkChild(Effect.scoped(adapter.connect(null)))
        yield* Effect.sleep("50 millis")
        yield* Fiber.interrupt(upgrading)

        const ends = [yield* Fiber.await(bootstrapping), yield* Fiber.await(upgrading)]
        assert.deepStrictEqual(ends.map(Exit.hasInterrupts), [true, true])
        assert.deepStrictEqual(yield* peer.lines, [])
      })
    )
  )

  it.live("a message whose answer is lost to a reset is one message when it is sent again", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        yield* peer.exchange.afterwards.next(reset)

        const lost = yield* Effect.flip(adapter.send(outbound()))
        yield* adapter.send(outbound())

        assert.strictEqual(lost.reason._tag, "Unknown")
        assert.strictEqual((yield* peer.exchange.ledger).length, 1)
      })
    )
  )

  it.live("F006: a write that meets a reset fails, and so does the link", () =>
    live(
      Effect.fnUntraced(function* (peer, adapter) {
        const link = yield* adapter.connect(null)
        yield* peer.say({ text: "hi" })
        const [frame] = yield* take(link, 1)
        assert(frame?._tag === "Arrived")

        yield* peer.relay.cut
        const reason = yield* ending(link)
        const written = yield* Effect.flip(frame.ack)

        assert.deepStrictEqual([reason._tag, written.reason._tag], ["NoCloseFrame", "NoCloseFrame"])
      })
    )
  )
})
