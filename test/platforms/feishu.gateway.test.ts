/** The Feishu adapter in the real graph, on virtual time: what a user of the gateway would see. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { defaults } from "../../src/domain/LinkSettings.ts"
import { failure, paths } from "../../src/testing/feishu/routes.ts"
import { inWorld, quiet } from "../actors/world.ts"
import { account } from "./feishuAccount.ts"

/** No chance in the waits, so that a test can name them. */
const link = { ...defaults, retry: { ...defaults.retry, jitter: "none" } } as const

const attached = Effect.fnUntraced(function* () {
  const supervisor = yield* Supervisor
  const { feishu, adapter } = yield* account({ near: { link } })
  yield* supervisor.attach(adapter)
  return feishu
})

const state = Effect.gen(function* () {
  const [link] = yield* (yield* Supervisor).links
  return {
    state: link?.state,
    kind: link?.lastError?.kind,
    message: link?.lastError?.message,
    connects: link?.connects
  }
})

describe("Feishu in the gateway", () => {
  it.effect("F116, F119: two copies of a message are acknowledged each and answered once", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      yield* Queue.take(feishu.connected)

      yield* feishu.say({ text: "hi", eventId: "ev", messageId: "om" })
      yield* feishu.say({ text: "hi", eventId: "ev", messageId: "om" })
      yield* Queue.takeN(feishu.acks, 2)
      const sent = yield* Queue.take(feishu.exchange.sent)
      yield* quiet

      assert.containSubset(sent, { text: "echo: hi", replyTo: "om" })
      assert.strictEqual((yield* feishu.exchange.ledger).length, 1)
    }).pipe(inWorld())
  )

  it.effect("F126: a message whose acknowledgement got lost comes again on the next link and is answered once", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      const before = yield* Queue.take(feishu.connected)

      const said = yield* feishu.say({ text: "hi" })
      yield* before.goSilent
      yield* TestClock.adjust("6 minutes")
      yield* said.acknowledged
      yield* quiet

      assert.notStrictEqual((yield* Queue.take(feishu.acks)).line, before)
      assert.strictEqual((yield* feishu.exchange.ledger).length, 1)
    }).pipe(inWorld())
  )

  it.effect("F036: a link that ends while a message is being kept does not leave it unanswered", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      const before = yield* Queue.take(feishu.connected)

      const said = yield* feishu.say({ text: "hi" })
      yield* before.drop
      yield* Queue.take(feishu.connected)
      yield* TestClock.adjust("20 seconds")
      yield* said.acknowledged
      yield* Queue.take(feishu.exchange.sent)
      yield* quiet

      assert.strictEqual((yield* feishu.exchange.ledger).length, 1)
    }).pipe(inWorld())
  )

  it.effect("F050: a session that is dead behind a live path is noticed within interval, timeout and a second", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      yield* Queue.take(feishu.connected)
      yield* TestClock.adjust("1 second")
      yield* feishu.pongs("none")

      yield* TestClock.adjust("26 seconds")
      yield* feishu.pongs("config")
      yield* Queue.take(feishu.connected)

      const { kind, message } = yield* state
      assert.strictEqual(kind, "KeepaliveTimeout")
      assert.include(message, "session clock")
    }).pipe(inWorld())
  )

  it.effect("F001: a path that goes black is noticed, and the link is back once the network is", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      yield* Queue.take(feishu.connected)

      yield* feishu.network("silent")
      yield* TestClock.adjust("2 minutes")
      const meanwhile = yield* state
      yield* feishu.network("up")
      yield* TestClock.adjust("32 seconds")

      assert.notStrictEqual(meanwhile.state, "connected")
      assert.strictEqual((yield* state).state, "connected")
    }).pipe(inWorld())
  )

  it.effect("a quiet, healthy link is left alone, whatever interval the server wants", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      yield* Queue.take(feishu.connected)
      yield* feishu.pongs({ PingInterval: 6, ReconnectCount: -1, ReconnectInterval: 120, ReconnectNonce: 30 })

      yield* TestClock.adjust("10 minutes")

      assert.deepStrictEqual(yield* state, { state: "connected", kind: undefined, message: undefined, connects: 1 })
      assert.isAtLeast(yield* feishu.pings, 98)
    }).pipe(inWorld())
  )

  it.effect("F003: a close, five refusals and an acceptance are six attempts, and messages come again", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      const first = yield* Queue.take(feishu.connected)
      yield* feishu.upgrades.next(...Array.from({ length: 5 }, () => ({ _tag: "Refuse", status: 503 }) as const))

      yield* first.close(1011, "keepalive ping timeout")
      yield* TestClock.adjust("1 minute")
      yield* Queue.take(feishu.connected)
      yield* feishu.say({ text: "back?" })

      assert.strictEqual((yield* Queue.take(feishu.exchange.sent)).text, "echo: back?")
      assert.strictEqual(yield* feishu.sockets.attempts, 7)
    }).pipe(inWorld())
  )

  it.effect.each([
    ["Auth", 1000040345, "failed"],
    ["Setup", 1000040351, "failed"],
    ["ConnectionLimit", 1000040350, "backoff"],
    ["Bootstrap", 1, "backoff"]
  ] as const)(
    "F032: a refusal as %s (%s) shows as %s, and the link comes back when it is over",
    ([kind, code, shown]) =>
      Effect.gen(function* () {
        const refusal = failure(code, "no")
        const supervisor = yield* Supervisor
        const { feishu, adapter } = yield* account({ near: { link } })
        yield* feishu.exchange.endpoint.always(refusal)
        yield* supervisor.attach(adapter)
        yield* TestClock.adjust("30 seconds")
        const refused = yield* state
        const asked = yield* feishu.exchange.asked(paths.endpoint)

        yield* feishu.exchange.endpoint.always(null)
        yield* TestClock.adjust("5 minutes")

        assert.deepStrictEqual([refused.state, refused.kind], [shown, kind])
        assert.strictEqual(asked === 1, kind !== "Bootstrap")
        assert.strictEqual((yield* state).state, "connected")
      }).pipe(inWorld())
  )

  it.effect("a reply that a chat's limit holds back arrives all the same, once and in order", () =>
    Effect.gen(function* () {
      const feishu = yield* attached()
      yield* Queue.take(feishu.connected)
      yield* feishu.exchange.messages.next(failure(230020, "frequency limit", 400))

      yield* feishu.say({ text: "one" })
      yield* feishu.say({ text: "two" })
      yield* quiet
      yield* TestClock.adjust("1 minute")

      const sent = yield* feishu.exchange.ledger
      assert.deepStrictEqual(
        sent.map(({ text }) => text),
        ["echo: one", "echo: two"]
      )
    }).pipe(inWorld())
  )
})
