/** Who may ask, as a table: Host, token, Origin and content type, before any handler. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { isSame, judge, withoutPort } from "../../src/http/guard.ts"

const names = new Set(["localhost", "127.0.0.1", "[::1]"])
const token = Redacted.make("0123456789")

type Case = readonly [
  name: string,
  asked: { readonly method?: string; readonly path?: string; readonly headers: Readonly<Record<string, string>> },
  status: number | null
]

const statusOf = (asked: Case[1], token: Redacted.Redacted | null) =>
  judge({ method: "GET", path: "/api/status", ...asked }, { names, token })?.status ?? null

const json = { host: "127.0.0.1:8787", "content-type": "application/json" }

describe("on loopback", () => {
  it.each<Case>([
    ["a name of the listener", { headers: { host: "127.0.0.1:8787" } }, null],
    ["its name in capitals", { headers: { host: "LOCALHOST:8787" } }, null],
    ["its name without a port", { headers: { host: "localhost" } }, null],
    ["an IPv6 address", { headers: { host: "[::1]:8787" } }, null],
    ["a name that leads here by DNS", { headers: { host: "evil.example:8787" } }, 421],
    ["a name that begins like ours", { headers: { host: "localhost.evil.example" } }, 421],
    ["a name behind our name", { headers: { host: "127.0.0.1:8787@evil.example" } }, 421],
    ["no Host at all", { headers: {} }, 421],
    ["a foreign Host, also for the probe", { path: "/livez", headers: { host: "evil.example" } }, 421],
    ["a change in JSON", { method: "POST", headers: json }, null],
    [
      "a change with a charset",
      { method: "POST", headers: { ...json, "content-type": "application/json; charset=utf-8" } },
      null
    ],
    ["a change by our own page", { method: "POST", headers: { ...json, origin: "http://127.0.0.1:8787" } }, null],
    ["a change by another page", { method: "POST", headers: { ...json, origin: "https://evil.example" } }, 403],
    [
      "a change by another port of this machine",
      { method: "POST", headers: { ...json, origin: "http://127.0.0.1:9999" } },
      403
    ],
    ["a change by a page without a name", { method: "POST", headers: { ...json, origin: "null" } }, 403],
    ["a form", { method: "POST", headers: { ...json, "content-type": "application/x-www-form-urlencoded" } }, 415],
    [
      "a text that says it is nearly JSON",
      { method: "POST", headers: { ...json, "content-type": "application/jsonp" } },
      415
    ],
    ["a change without a type", { method: "DELETE", headers: { host: "localhost" } }, 415],
    ["a question from another page", { headers: { host: "localhost", origin: "https://evil.example" } }, null]
  ])("%s", (_, asked, status) => {
    assert.strictEqual(statusOf(asked, null), status)
  })
})

describe("with a token", () => {
  const host = "127.0.0.1"

  it.each<Case>([
    ["the right one", { headers: { host, authorization: "Bearer 0123456789" } }, null],
    ["none", { headers: { host } }, 401],
    ["a wrong one", { headers: { host, authorization: "Bearer 0123456788" } }, 401],
    ["its beginning", { headers: { host, authorization: "Bearer 01234" } }, 401],
    ["more than it", { headers: { host, authorization: "Bearer 0123456789 " } }, 401],
    ["another scheme", { headers: { host, authorization: "Basic 0123456789" } }, 401],
    ["the probe of life, without", { path: "/livez", headers: { host } }, null],
    ["the probe of readiness, without: it names platforms", { path: "/readyz", headers: { host } }, 401],
    ["the page without its data", { path: "/", headers: { host } }, null],
    ["a part of the page", { path: "/page/page.js", headers: { host } }, null],
    ["what only begins like the page", { path: "/pages", headers: { host } }, 401],
    ["events", { path: "/api/events", headers: { host } }, 401]
  ])("%s", (_, asked, status) => {
    assert.strictEqual(statusOf(asked, token), status)
  })

  it("a refusal says nothing of the token", () => {
    const refusal = judge({ method: "GET", path: "/api/status", headers: { host } }, { names, token })

    assert.notInclude(JSON.stringify(refusal), "0123456789")
    assert.strictEqual(refusal?.where, "Authorization")
  })
})

describe("comparing", () => {
  it.each([
    ["same", "same", true],
    ["same", "sane", false],
    ["", "", true],
    ["", "some", false],
    ["longer", "long", false],
    ["long", "longer", false],
    ["\u0000", "", false]
  ])("%j and %j", (given, expected, same) => {
    assert.strictEqual(isSame(given, expected), same)
  })

  it.each([
    ["127.0.0.1:8787", "127.0.0.1"],
    ["[::1]:8787", "[::1]"],
    ["[::1]", "[::1]"],
    ["Host.Example", "host.example"]
  ])("%s without its port", (host, name) => {
    assert.strictEqual(withoutPort(host), name)
  })
})
