/** What goes out: roads of a message, tokens, and what each refusal means. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import { hang, json, page, reset } from "../../src/testing/HttpAnswer.ts"
import type { HttpAnswer } from "../../src/testing/HttpAnswer.ts"
import { failure, paths } from "../../src/testing/feishu/routes.ts"
import { account, outbound } from "./feishuAccount.ts"

const failed = (code: number, msg = "no") => failure(code, msg, 400)

describe("a message to Feishu", () => {
  it.effect("goes to the chat, with its id as the key that makes a repeat harmless", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      const first = yield* adapter.send(outbound())
      const repeated = yield* adapter.send(outbound())

      const [sent, ...others] = yield* feishu.exchange.ledger
      assert.deepStrictEqual(others, [])
      assert.containSubset(sent, { chat: "oc_1", replyTo: null, text: "hello", uuid: "d-1" })
      assert.deepStrictEqual(repeated, first)
      assert.strictEqual(first.messageId, sent?.messageId)
    }).pipe(Effect.scoped)
  )

  it.effect("answers the message that it answers, in the thread where there is one", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      yield* adapter.send(outbound({ id: DeliveryId.make("a"), replyTo: "om_1" }))
      yield* adapter.send(outbound({ id: DeliveryId.make("b"), replyTo: "om_2", thread: "omt_1" }))

      const sent = yield* feishu.exchange.ledger
      assert.deepStrictEqual(
        sent.map(({ replyTo, inThread }) => ({ replyTo, inThread })),
        [
          { replyTo: "om_1", inThread: false },
          { replyTo: "om_2", inThread: true }
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect.each([230011, 230019, 230050, 230110, 230111, 99992354])(
    "goes to the chat where what it answers is gone (%s)",
    (code) =>
      Effect.gen(function* () {
        const { feishu, adapter } = yield* account()
        yield* feishu.exchange.messages.next(failed(code))

        yield* adapter.send(outbound({ replyTo: "om_1" }))

        const sent = yield* feishu.exchange.ledger
        assert.deepStrictEqual(
          sent.map(({ chat }) => chat),
          ["oc_1"]
        )
      }).pipe(Effect.scoped)
  )

  it.effect("is answered outside a thread where the group has none", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.messages.next(failed(230071))

      yield* adapter.send(outbound({ replyTo: "om_1", thread: "omt_1" }))

      const sent = yield* feishu.exchange.ledger
      assert.deepStrictEqual(
        sent.map(({ replyTo, inThread }) => [replyTo, inThread]),
        [["om_1", false]]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("F242: calls nobody by accident", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      yield* adapter.send(outbound({ text: '<at user_id="all">all</at> a < b <attic>' }))

      const [sent] = yield* feishu.exchange.ledger
      assert.strictEqual(sent?.text, '&lt;at user_id="all">all&lt;/at> a < b <attic>')
    }).pipe(Effect.scoped)
  )
})

describe("a refusal", () => {
  const cases: ReadonlyArray<readonly [string, HttpAnswer, string]> = [
    ["F152: too often in this chat", failed(230020), "RateLimited"],
    ["too often in this group", failed(11233), "RateLimited"],
    ["too often", failed(99991400), "RateLimited"],
    ["too often, by status alone", page(429, ""), "RateLimited"],
    ["still being sent", failed(230049), "Unavailable"],
    ["the same request in progress", failed(18121), "Unavailable"],
    ["a scope that is missing", failed(99991672), "Unavailable"],
    ["a server that is away", page(503, ""), "Unavailable"],
    ["a server that broke", json({ code: 5, msg: "?" }, 500), "Unknown"],
    ["somebody else's page", page(200, "<html>"), "Unknown"],
    ["F165: no answer", hang, "Unknown"],
    ["F164: a connection that breaks", reset, "Unknown"],
    ["F164: too long", failed(230025), "Rejected"],
    ["F164: not in the group", failed(230002), "Rejected"],
    ["a target that is gone and no reply", failed(230011), "Rejected"],
    ["F162: a code under 200", failure(230001, "invalid parameter"), "Rejected"],
    ["the month's quota", failed(99991403), "Rejected"],
    ["a code that nobody knows", failed(4711), "Rejected"]
  ]

  it.effect.each(cases)("is read: %s", ([, answer, tag]) =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.messages.always(answer)

      const sending = yield* Effect.forkChild(Effect.flip(adapter.send(outbound())))
      yield* TestClock.adjust("15 seconds")

      assert.strictEqual((yield* Fiber.join(sending)).reason._tag, tag)
    }).pipe(Effect.scoped)
  )

  it.effect("F155: names the wait that Feishu names, and whom it concerns", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.messages.next(
        json({ code: 99991400, msg: "slow down" }, 429, { "x-ogw-ratelimit-reset": "7" }),
        failed(230020)
      )

      const ofAccount = (yield* Effect.flip(adapter.send(outbound()))).reason
      const ofChat = (yield* Effect.flip(adapter.send(outbound()))).reason

      assert(ofAccount._tag === "RateLimited" && ofChat._tag === "RateLimited")
      assert.deepStrictEqual([ofAccount.scope, ofAccount.retryAfterMillis], ["account", 7000])
      assert.deepStrictEqual([ofChat.scope, ofChat.retryAfterMillis], ["chat", 1000])
    }).pipe(Effect.scoped)
  )

  it.effect("F152: above what a chat may get a second, further messages are told to wait", () =>
    Effect.gen(function* () {
      const { adapter } = yield* account({ far: { chatRate: 5 } })
      const sends = Array.from({ length: 6 }, (_, i) => adapter.send(outbound({ id: DeliveryId.make(`d-${i}`) })))

      const refused = yield* Effect.flip(Effect.all(sends))
      yield* TestClock.adjust("1 second")
      yield* adapter.send(outbound({ id: DeliveryId.make("d-5") }))

      assert(refused.reason._tag === "RateLimited")
      assert.strictEqual(refused.reason.scope, "chat")
    }).pipe(Effect.scoped)
  )

  it.effect("a message whose answer got lost is one message when it is sent again", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.afterwards.next(reset)

      const lost = yield* Effect.flip(adapter.send(outbound()))
      const receipt = yield* adapter.send(outbound())

      assert.strictEqual(lost.reason._tag, "Unknown")
      assert.deepStrictEqual(
        (yield* feishu.exchange.ledger).map(({ messageId }) => messageId),
        [receipt.messageId]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("nothing was sent while nothing can be reached", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.network("refused")

      const error = yield* Effect.flip(adapter.send(outbound()))

      assert.strictEqual(error.reason._tag, "Unavailable")
    }).pipe(Effect.scoped)
  )
})

describe("the access token", () => {
  it.effect("is asked for once, however many messages want it", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      yield* Effect.forEach(["a", "b", "c"], (id) => adapter.send(outbound({ id: DeliveryId.make(id) })), {
        concurrency: "unbounded"
      })

      assert.strictEqual(yield* feishu.exchange.asked(paths.token), 1)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["2 hours", "109 minutes", 1],
    ["2 hours", "110 minutes", 2],
    ["1 minute", "29 seconds", 1],
    ["1 minute", "30 seconds", 2]
  ] as const)("F059: of a life of %s it is renewed in time (after %s: %s requests)", ([tokenLife, later, requests]) =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account({ far: { tokenLife } })

      yield* adapter.send(outbound())
      yield* TestClock.adjust(later)
      yield* adapter.send(outbound())

      assert.strictEqual(yield* feishu.exchange.asked(paths.token), requests)
    }).pipe(Effect.scoped)
  )

  it.effect.each([99991663, 99991664, 99991665, 99991668, 99991677])(
    "F059: is renewed, and the message sent once more, when Feishu says that it is over (%s, under 200)",
    (code) =>
      Effect.gen(function* () {
        const { feishu, adapter } = yield* account()
        yield* feishu.exchange.messages.next(failure(code, "Invalid access token"))

        yield* adapter.send(outbound())

        assert.strictEqual(yield* feishu.exchange.asked(paths.token), 2)
        assert.strictEqual((yield* feishu.exchange.ledger).length, 1)
      }).pipe(Effect.scoped)
  )

  it.effect("is not renewed for ever: a message whose new token is refused too waits", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.messages.always(failure(99991663, "Invalid access token"))

      const error = yield* Effect.flip(adapter.send(outbound()))

      assert.strictEqual(error.reason._tag, "Unavailable")
      assert.strictEqual(yield* feishu.exchange.asked(paths.token), 2)
      assert.strictEqual(yield* feishu.exchange.asked(paths.messages), 2)
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["a wrong secret", failure(10015, "wrong secret"), "Unavailable"],
    ["a server that is away", page(502, ""), "Unavailable"],
    ["no answer", hang, "Unavailable"],
    ["a connection that breaks", reset, "Unavailable"],
    ["too many requests", page(429, "", { "retry-after": "9" }), "RateLimited"]
  ] as const)("F167: without one nothing was sent: %s", ([, answer, tag]) =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.token.always(answer)

      const sending = yield* Effect.forkChild(Effect.flip(adapter.send(outbound())))
      yield* TestClock.adjust("15 seconds")

      assert.strictEqual((yield* Fiber.join(sending)).reason._tag, tag)
      assert.deepStrictEqual(yield* feishu.exchange.ledger, [])
    }).pipe(Effect.scoped)
  )
})
