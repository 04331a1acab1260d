/** A link that is up: what comes, what is acknowledged, what counts as life. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Queue, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Frame, Link, Platform } from "../../src/platforms/Platform.ts"
import { PlatformHost } from "../../src/platforms/Platform.ts"
import * as Feishu from "../../src/platforms/feishu/Feishu.ts"
import * as wire from "../../src/platforms/feishu/wire.ts"
import { hang } from "../../src/testing/HttpAnswer.ts"
import { dataFrames } from "../../src/testing/feishu/frames.ts"
import { failure, paths } from "../../src/testing/feishu/routes.ts"
import type { Options as FakeOptions } from "../../src/testing/feishu/options.ts"
import * as MemoryFeishu from "../../src/testing/feishu/MemoryFeishu.ts"
import { account, accountOf, platform } from "./feishuAccount.ts"

const linked = Effect.fnUntraced(function* (far: Partial<FakeOptions> = {}) {
  const { feishu, adapter } = yield* account({ far })
  const link = yield* adapter.connect(null)
  return { feishu, link, line: yield* Queue.take(feishu.connected) }
})

const take = (link: Link, n: number): Effect.Effect<ReadonlyArray<Frame>, unknown> =>
  Stream.runCollect(Stream.take(link.frames, n))

const session = (link: Link) => {
  const { session } = link.liveness
  assert(session._tag === "Answered")
  return session
}

const ackOf = (frame: Frame | undefined) => {
  assert(frame?._tag === "Arrived" || frame?._tag === "Ignored")
  return frame.ack
}

const utf8 = (text: string) => new TextEncoder().encode(text)

describe("a Feishu link", () => {
  it.effect("hands a message on, and acknowledges it with its own ids when it is told to", () =>
    Effect.gen(function* () {
      const { feishu, link, line } = yield* linked()

      const said = yield* feishu.say({ text: "hi" })
      const [frame] = yield* take(link, 1)
      assert(frame?._tag === "Arrived")
      assert.strictEqual(frame.event.text, "hi")
      assert.strictEqual(yield* Queue.size(feishu.acks), 0)
      yield* frame.ack

      const ack = yield* Queue.take(feishu.acks)
      const [sent] = dataFrames({ id: said.delivery, serial: 2, service: 1, payload: utf8("") })
      assert.strictEqual(ack.code, 200)
      assert.strictEqual(ack.line, line)
      assert.strictEqual(String(ack.frame.seqId), sent?.seqId)
      assert.isAbove(Number(wire.header(ack.frame, "biz_rt")), 0)
      yield* said.acknowledged
    }).pipe(Effect.scoped)
  )

  it.effect("F119: two copies in one batch are two frames with an acknowledgement each", () =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()

      yield* feishu.say({ text: "hi", eventId: "e", messageId: "om" })
      yield* feishu.say({ text: "hi", eventId: "e", messageId: "om" })
      const frames = yield* take(link, 2)
      yield* Effect.forEach(frames, ackOf)

      assert.strictEqual((yield* Queue.takeN(feishu.acks, 2)).length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("F116: what is not acknowledged comes again, on a socket that is up", () =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()

      const said = yield* feishu.say({ text: "hi" })
      yield* take(link, 1)
      yield* TestClock.adjust("18 seconds")
      const [again] = yield* take(link, 1)
      yield* ackOf(again)

      yield* said.acknowledged
    }).pipe(Effect.scoped)
  )

  it.effect(
    "puts a message together from fragments in any order, also cut inside a character, and acknowledges it once",
    () =>
      Effect.gen(function* () {
        const { link, line } = yield* linked()
        const payload = utf8(JSON.stringify({ header: { event_id: "e", event_type: "喂".repeat(20) } }))
        const frames = dataFrames({ id: "m", serial: 1, service: 1, payload, parts: 7 }).toReversed()

        yield* Effect.forEach(frames, (frame) => line.push(wire.encode(frame)))
        const received = yield* take(link, 7)

        assert.deepStrictEqual(
          received.slice(0, 6).map((frame) => frame._tag),
          Array.from({ length: 6 }, () => "Alive")
        )
        const last = received[6]
        assert(last?._tag === "Ignored")
        assert.strictEqual(last.what, "喂".repeat(20))
      }).pipe(Effect.scoped)
  )

  it.effect.each([
    [
      "an event of another kind",
      { id: "m", payload: utf8('{"header":{"event_id":"e","event_type":"a.b"}}') },
      "a.b",
      "event"
    ],
    ["a payload that is not JSON", { id: "m", payload: utf8("{") }, "a payload that is not JSON", "notJson"],
    [
      "bytes that are no UTF-8",
      { id: "m", payload: Uint8Array.of(0xff, 0xfe) },
      "a payload that is not JSON",
      "notJson"
    ],
    ["a card's callback of the old way", { id: "m", type: "card", payload: utf8("{}") }, "card", "card"],
    ["data of a new type", { id: "m", type: "novel", payload: utf8("{}") }, "data of type novel", "unknown"]
  ] as const)("F187: acknowledges and counts %s", ([, delivery, what, kind]) =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()

      yield* feishu.deliver(delivery)
      const [frame] = yield* take(link, 1)
      assert(frame?._tag === "Ignored")
      yield* frame.ack

      assert.strictEqual(frame.what, what)
      assert.strictEqual((yield* Queue.take(feishu.acks)).code, 200)
      assert.containSubset(yield* link.server, { skipped: { [kind]: 1 } })
    }).pipe(Effect.scoped)
  )

  it.effect("skips what is no frame, acknowledges none of it, and lives on", () =>
    Effect.gen(function* () {
      const { feishu, link, line } = yield* linked()

      yield* line.push("text")
      yield* line.push(Uint8Array.of(1, 2, 3))
      yield* line.push(wire.encode({ ...wire.ping(1), method: 9 }))
      const skipped = yield* take(link, 3)
      yield* Effect.forEach(skipped, ackOf)
      yield* feishu.say({ text: "still here" })
      const [frame] = yield* take(link, 1)

      assert.strictEqual(frame?._tag, "Arrived")
      assert.strictEqual(yield* Queue.size(feishu.acks), 0)
      assert.containSubset(yield* link.server, { skipped: { undecodable: 2, unknown: 1 } })
    }).pipe(Effect.scoped)
  )

  it.effect(
    "F126: an acknowledgement on a socket that has gone fails and takes no other; the next delivery is acknowledged",
    () =>
      Effect.gen(function* () {
        const { feishu, adapter } = yield* account()
        const before = yield* adapter.connect(null)
        const said = yield* feishu.say({ text: "hi" })
        const [lost] = yield* take(before, 1)
        yield* (yield* Queue.take(feishu.connected)).drop

        const after = yield* adapter.connect(null)
        const error = yield* Effect.flip(ackOf(lost))
        yield* TestClock.adjust("18 seconds")
        const [again] = yield* take(after, 1)
        const unacknowledged = yield* Queue.size(feishu.acks)
        yield* ackOf(again)

        assert.strictEqual(error.reason._tag, "NoCloseFrame")
        assert.strictEqual(unacknowledged, 0)
        yield* said.acknowledged
      }).pipe(Effect.scoped)
  )

  it.effect("a ping goes out at once, then every interval, and any frame of Feishu's answers it", () =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()
      const { first, every, within, beat } = session(link)

      yield* TestClock.adjust("1 second")
      yield* beat
      yield* take(link, 1)

      assert.strictEqual(yield* feishu.pings, 1)
      assert.deepStrictEqual([first, yield* every, within].map(Duration.toMillis), [0, 15_000, 10_000])
      assert.strictEqual((yield* link.heard).frameAt, yield* nowMillis)
    }).pipe(Effect.scoped)
  )

  it.effect("F050: WebSocket pongs and a front-end's noise are life of the path and none of the session", () =>
    Effect.gen(function* () {
      const { feishu, link, line } = yield* linked()
      const { path } = link.liveness
      assert(path !== null)
      yield* feishu.pongs("none")
      const before = yield* link.heard

      yield* TestClock.adjust("20 seconds")
      yield* path.ping
      yield* line.push("noise")
      yield* line.push(Uint8Array.of(0))
      yield* session(link).beat

      const after = yield* link.heard
      assert.strictEqual(after.byteAt, before.byteAt + 20_000)
      assert.strictEqual(after.frameAt, before.frameAt)
    }).pipe(Effect.scoped)
  )

  it.effect("stamps a frame when it comes, not when it is taken", () =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()

      yield* TestClock.adjust("5 seconds")
      yield* feishu.say({ text: "hi" })
      const came = yield* nowMillis
      yield* TestClock.adjust("5 seconds")

      assert.strictEqual((yield* link.heard).frameAt, came)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    [120, 15_000],
    [8, 8000],
    [1, 5000],
    [0, 15_000],
    [-3, 15_000],
    [Number.NaN, 15_000]
  ] as const)("with a PingInterval of %s from the server it pings every %s ms", ([PingInterval, millis]) =>
    Effect.gen(function* () {
      const config = { PingInterval, ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30 }
      const { link } = yield* linked({ config })

      yield* session(link).beat
      yield* take(link, 1)

      assert.strictEqual(Duration.toMillis(yield* session(link).every), millis)
      assert.containSubset(yield* link.server, {
        clientConfig: { reconnectCount: -1, reconnectInterval: 120, reconnectNonce: 30 }
      })
    }).pipe(Effect.scoped)
  )

  it.effect("obeys an interval that a pong changes", () =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()
      yield* feishu.pongs({ PingInterval: 9, ReconnectCount: 3, ReconnectInterval: 1, ReconnectNonce: 0 })

      yield* session(link).beat
      yield* take(link, 1)

      assert.strictEqual(Duration.toMillis(yield* session(link).every), 9000)
      assert.containSubset(yield* link.server, { clientConfig: { reconnectCount: 3, reconnectInterval: 1 } })
    }).pipe(Effect.scoped)
  )

  it.effect.each(["empty", "garbage"] as const)("a pong with a payload that is %s changes nothing", (how) =>
    Effect.gen(function* () {
      const { feishu, link } = yield* linked()
      const before = yield* link.server
      yield* feishu.pongs(how)

      yield* session(link).beat
      yield* take(link, 1)

      assert.deepStrictEqual(yield* link.server, before)
    }).pipe(Effect.scoped)
  )

  it.effect("answers no ping of the server's", () =>
    Effect.gen(function* () {
      const { feishu, link, line } = yield* linked()

      yield* line.push(wire.encode(wire.ping(1)))
      const [frame] = yield* take(link, 1)

      assert.strictEqual(frame?._tag, "Alive")
      assert.strictEqual(yield* feishu.pings, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("fails as its socket does", () =>
    Effect.gen(function* () {
      const { link, line } = yield* linked()

      yield* line.close(1011, "keepalive ping timeout")
      const error = yield* Effect.flip(Stream.runDrain(link.frames))

      assert(error.reason._tag === "ClosedByServer")
      assert.deepStrictEqual([error.reason.code, error.reason.reason], [1011, "keepalive ping timeout"])
    }).pipe(Effect.scoped)
  )

  it.effect("closes with 1000 when it is stopped, and at once when it failed", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      yield* Effect.scoped(adapter.connect(null))
      yield* Effect.exit(Effect.scoped(Effect.andThen(adapter.connect(null), Effect.fail("over"))))

      const [stopped, failed] = yield* Queue.takeN(feishu.sockets.accepted, 2)
      assert(stopped !== undefined && failed !== undefined)
      assert.deepStrictEqual(yield* stopped.ended, { _tag: "Closed", code: 1000 })
      assert.deepStrictEqual(yield* failed.ended, { _tag: "Terminated" })
    }).pipe(Effect.scoped)
  )
})

describe("an account", () => {
  it.effect("is attached by its layer, under its own name", () =>
    Effect.gen(function* () {
      const attached: Array<Platform> = []
      const host = Layer.succeed(PlatformHost, {
        attach: (platform) => Effect.sync(() => void attached.push(platform))
      })
      const feishu = yield* MemoryFeishu.make()

      yield* Effect.scoped(Layer.build(Layer.provide(Feishu.layer(accountOf(feishu.url)), [host, feishu.layer])))

      assert.deepStrictEqual(
        attached.map(({ id, kind }) => [id, kind]),
        [[platform, "feishu"]]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("F210: has a fingerprint that tells credentials apart and shows none", () =>
    Effect.gen(function* () {
      const fingerprint = (near: Partial<Feishu.Options>) =>
        Effect.map(account({ near }), ({ adapter }) => adapter.fingerprint)

      const prints = yield* Effect.all([
        fingerprint({}),
        fingerprint({}),
        fingerprint({ appSecret: Redacted.make("another") }),
        fingerprint({ domain: "lark" })
      ])

      assert.strictEqual(prints[0], prints[1])
      assert.strictEqual(new Set(prints).size, 3)
      assert.isTrue(prints.every((print) => /^[0-9a-f]{1,8}$/.test(print)))
    }).pipe(Effect.scoped)
  )
})

describe("the bot's own id", () => {
  it.effect("is asked for once, beside the bootstrap", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      yield* Effect.scoped(adapter.connect(null))
      yield* Effect.scoped(adapter.connect(null))

      assert.strictEqual(yield* feishu.exchange.asked(paths.bot), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps no link down: it is asked for again while the link lives", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.bot.next(failure(99991672, "scope missing", 400), failure(99991672, "scope missing", 400))

      const link = yield* adapter.connect(null)
      const mentions = [{ key: "@_user_1", id: "ou_bot", name: "Bot" }]
      yield* feishu.say({ chatType: "group", text: "@_user_1 early", mentions })
      const [early] = yield* take(link, 1)
      yield* ackOf(early)
      yield* TestClock.adjust("1 minute")
      yield* feishu.say({ chatType: "group", text: "@_user_1 later", mentions })
      const [later] = yield* take(link, 1)

      assert(early?._tag === "Arrived" && later?._tag === "Arrived")
      assert.deepStrictEqual([early.event.mentioned, later.event.mentioned], [false, true])
      assert.strictEqual(yield* feishu.exchange.asked(paths.bot), 3)
    }).pipe(Effect.scoped)
  )

  it.effect("holds a connection up for 5 s at most", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.bot.always(hang)

      yield* Effect.forkScoped(adapter.connect(null))
      yield* TestClock.adjust("5 seconds")

      assert.strictEqual((yield* feishu.lines).length, 1)
    }).pipe(Effect.scoped)
  )
})

const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
