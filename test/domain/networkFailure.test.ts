/** How failures of the network read, as tables. */
import { assert, describe, it } from "@effect/vitest"
import { Proxy } from "../../src/domain/LinkError.ts"
import { networkFailure, neverSent } from "../../src/domain/networkFailure.ts"
import { retryAfter } from "../../src/domain/retryAfter.ts"

const failure = (code: string, more: object = {}) => Object.assign(new Error(`it failed: ${code}`), { code, ...more })

describe("a failure of the network", () => {
  it.each([
    ["F066", "ENOTFOUND", "Dns", true],
    ["F066", "EAI_AGAIN", "Dns", true],
    ["F074", "ECONNREFUSED", "ConnectionRefused", true],
    ["F073", "ENETDOWN", "Network", true],
    ["F073", "ECONNRESET", "Network", false],
    ["F073", "EPIPE", "Network", false],
    ["F073", "ETIMEDOUT", "Network", false],
    ["unreachable", "EHOSTUNREACH", "Network", true],
    ["F075", "EADDRNOTAVAIL", "Network", true],
    ["F075", "EMFILE", "Network", true],
    ["F009", "UND_ERR_CONNECT_TIMEOUT", "Network", true],
    ["certificate", "CERT_HAS_EXPIRED", "Tls", true],
    ["certificate", "SELF_SIGNED_CERT_IN_CHAIN", "Tls", true],
    ["certificate", "ERR_TLS_CERT_ALTNAME_INVALID", "Tls", true],
    ["certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "Tls", true],
    ["no HTTP", "HPE_INVALID_CONSTANT", "Protocol", false],
    ["too long an answer", "UND_ERR_RES_EXCEEDED_MAX_SIZE", "Protocol", false],
    ["too long headers", "UND_ERR_HEADERS_OVERFLOW", "Protocol", false]
  ])("%s: %s reads as %s; that nothing was sent is %s", (_, code, kind, unsent) => {
    const error = failure(code)

    assert.strictEqual(networkFailure(error, "a.test")._tag, kind)
    assert.strictEqual(neverSent(error), unsent)
  })

  it.each([
    ["a reset before TLS stood", failure("ECONNRESET", { localAddress: undefined, host: "a.test" }), "Tls"],
    ["a reset that the system reports", failure("ECONNRESET", { syscall: "read", localAddress: "" }), "Network"],
    ["a server that hung up", failure("ECONNRESET"), "Network"]
  ])("%s is told apart from the other resets", (_, error, kind) => {
    assert.strictEqual(networkFailure(error, "a.test")._tag, kind)
  })

  it("is found under what wraps it; of several addresses the first one speaks", () => {
    const addresses = new AggregateError([
      failure("ECONNREFUSED", { address: "::1", port: 443 }),
      failure("EHOSTUNREACH")
    ])

    const reason = networkFailure(new Error("outer", { cause: addresses }), "a.test")

    assert.containSubset(reason, { _tag: "ConnectionRefused", address: "[::1]:443" })
  })

  it("stays the proxy's where it is the proxy's", () => {
    const blame = new Proxy({ proxy: "http://p.test:80", detail: "refused" })

    assert.strictEqual(networkFailure({ cause: blame }, "a.test"), blame)
  })

  it.each([[undefined], [null], ["text"], [7], [{}], [{ code: {} }], [{ errors: [] }]])(
    "is one whatever came: %j",
    (odd) => {
      assert.strictEqual(networkFailure(odd, "a.test")._tag, "Network")
    }
  )

  it("does not follow a chain of causes for ever", () => {
    const error: { cause?: unknown } = {}
    error.cause = error

    assert.strictEqual(networkFailure(error, "a.test")._tag, "Network")
  })
})

describe("Retry-After", () => {
  const now = Date.parse("2026-11-30T20:00:00Z")

  it.each([
    ["7", 7000],
    ["0.5", 500],
    ["Mon, 30 Nov 2026 20:00:09 GMT", 9000],
    ["Mon, 30 Nov 2026 19:00:00 GMT", undefined],
    ["999999999", 3_600_000],
    ["0", undefined],
    ["-3", undefined],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined]
  ])("%s is a wait of %s ms", (header, millis) => {
    assert.strictEqual(retryAfter(header, now), millis)
  })
})
