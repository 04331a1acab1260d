/** Asking where to connect, and what every refusal means. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { hang, json, page, reset } from "../../src/testing/HttpAnswer.ts"
import type { HttpAnswer } from "../../src/testing/HttpAnswer.ts"
import type { Upgrade } from "../../src/testing/Line.ts"
import { failure, paths } from "../../src/testing/feishu/routes.ts"
import { account, connectTimeout } from "./feishuAccount.ts"

/** The first failure of an account whose endpoint answers so. */
const refusedWith = (answer: HttpAnswer, domain?: string) =>
  Effect.gen(function* () {
    const { feishu, adapter } = yield* account(domain === undefined ? {} : { near: { domain } })
    yield* feishu.exchange.endpoint.always(answer)
    return (yield* Effect.flip(Effect.scoped(adapter.connect(null)))).reason
  })

describe("Feishu's endpoint", () => {
  it.effect.each([
    ["F032: system busy", failure(1, "system busy"), "Bootstrap"],
    ["F032: an internal error", failure(1000040343, "internal error"), "Bootstrap"],
    ["a code that nobody knows", failure(4711, "?"), "Bootstrap"],
    ["F032: forbidden", failure(403, "forbidden"), "Auth"],
    ["F032: failed authentication", failure(514, "auth failed"), "Auth"],
    ["no credential", failure(1000040344, "none"), "Auth"],
    ["wrong credentials", failure(1000040345, "app id or secret invalid"), "Auth"],
    ["wrong credentials under 400", failure(1000040345, "app id or secret invalid", 400), "Auth"],
    ["a wrong app id", failure(1000040346, "app id invalid"), "Auth"],
    ["the other brand", failure(1000040351, "wrong domain"), "Setup"],
    ["F032: too many connections", failure(1000040350, "exceeds the limit"), "ConnectionLimit"],
    ["a broken server", page(500, "<html>"), "Bootstrap"],
    ["a gateway without a server", page(502, "<html>"), "Bootstrap"],
    ["a refusal that is not Feishu's", page(403, "<html>"), "Bootstrap"],
    ["a captive portal's page", page(200, "<html>log in</html>"), "Protocol"],
    ["a captive portal's redirect", page(302, "", { location: "http://portal.test" }), "Protocol"],
    ["an answer without data", json({ code: 0, msg: "" }), "Bootstrap"],
    ["an answer whose data is null", json({ code: 0, data: null }), "Bootstrap"],
    ["an empty address", json({ code: 0, data: { URL: "" } }), "Bootstrap"],
    ["an address that is no socket's", json({ code: 0, data: { URL: "https://a.test/" } }), "Protocol"],
    ["a connection that breaks", reset, "Network"]
  ] as const)("reads %s", ([, answer, kind]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* refusedWith(answer))._tag, kind)
    })
  )

  it.effect("names the other brand where the app belongs there", () =>
    Effect.gen(function* () {
      const reason = yield* refusedWith(failure(1000040351, "wrong domain"))

      assert.match(reason.hint, /domain/)
    })
  )

  it.effect("F017: a wait that it names in refusing is told", () =>
    Effect.gen(function* () {
      const reason = yield* refusedWith(page(429, "slow down", { "retry-after": "7" }))

      assert(reason._tag === "Bootstrap")
      assert.strictEqual(reason.retryAfterMillis, 7000)
    })
  )

  it.effect("F031: gives up when the endpoint does not answer in time, and says which step it was", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.exchange.endpoint.always(hang)

      const attempt = yield* Effect.forkChild(Effect.flip(Effect.scoped(adapter.connect(null))))
      yield* TestClock.adjust(connectTimeout)

      const { reason } = yield* Fiber.join(attempt)
      assert(reason._tag === "ConnectTimeout")
      assert.deepStrictEqual([reason.step, reason.afterMillis], ["bootstrap", 15_000])
    })
  )

  it.effect("asks afresh for every attempt: an address serves once", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()

      yield* Effect.scoped(adapter.connect(null))
      yield* Effect.scoped(adapter.connect(null))

      assert.strictEqual(yield* feishu.exchange.asked(paths.endpoint), 2)
    })
  )

  it.effect("F210: no error shows the secret or the address's query", () =>
    Effect.gen(function* () {
      const { adapter } = yield* account({ near: { appSecret: Redacted.make("hunter2-is-wrong") } })

      const error = yield* Effect.flip(Effect.scoped(adapter.connect(null)))

      assert.strictEqual(error.reason._tag, "Auth")
      assert.notInclude(`${error.message} ${JSON.stringify(error)}`, "hunter2")
    })
  )
})

describe("Feishu's upgrade", () => {
  const refuse = (status: number, headers: Record<string, string> = {}): Upgrade => ({
    _tag: "Refuse",
    status,
    headers
  })

  it.effect.each([
    [
      "too many connections",
      refuse(400, { "handshake-status": "514", "handshake-autherrcode": "1000040350" }),
      "ConnectionLimit"
    ],
    ["a used-up ticket", refuse(400, { "handshake-status": "514", "handshake-autherrcode": "1" }), "Bootstrap"],
    ["forbidden", refuse(400, { "handshake-status": "403", "handshake-msg": "forbidden" }), "Auth"],
    ["another code", refuse(400, { "handshake-status": "1000", "handshake-msg": "?" }), "Bootstrap"],
    ["F010: no headers of Feishu's", refuse(500), "HandshakeRejected"],
    ["a reset", { _tag: "Reset" }, "Network"]
  ] as const)("reads %s", ([, upgrade, kind]) =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      yield* feishu.upgrades.always(upgrade)

      const error = yield* Effect.flip(Effect.scoped(adapter.connect(null)))

      assert.strictEqual(error.reason._tag, kind)
    })
  )

  it.effect("F009: gives up when the upgrade is not answered in time", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account({ near: {} })
      yield* feishu.upgrades.always({ _tag: "Hang" })

      const attempt = yield* Effect.forkChild(Effect.flip(Effect.scoped(adapter.connect(null))))
      yield* TestClock.adjust(Duration.millis(connectTimeout))

      const { reason } = yield* Fiber.join(attempt)
      assert(reason._tag === "ConnectTimeout")
      assert.strictEqual(reason.step, "socket")
    })
  )
})
