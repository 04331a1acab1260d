/** Which way a host is reached, as tables. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { Road, Target } from "../../src/layers/proxy.ts"
import { route } from "../../src/layers/proxy.ts"

const target = (address: string): Target => {
  const url = new URL(address)
  const secure = url.protocol === "https:" || url.protocol === "wss:"
  return { secure, host: url.hostname.replaceAll(/[[\]]/g, ""), port: Number(url.port || (secure ? 443 : 80)) }
}

const told = (road: Road): string => {
  switch (road._tag) {
    case "Direct":
      return "direct"
    case "Through":
      return road.proxy.name
    case "Blocked":
      return `blocked ${road.error.proxy}`
  }
}

const one = "http://one.test:3128"
const two = "http://two.test:80"

describe("the way out", () => {
  it.each([
    ["none", { HTTPS_PROXY: one }, "wss://a.test/", "direct"],
    ["http://one.test:3128", { NO_PROXY: "*" }, "ws://a.test/", one],
    ["env", {}, "https://a.test/", "direct"],
    ["env", { HTTPS_PROXY: one, HTTP_PROXY: two }, "https://a.test/", one],
    ["env", { HTTPS_PROXY: one, HTTP_PROXY: two }, "wss://a.test/", one],
    ["env", { HTTPS_PROXY: one, HTTP_PROXY: two }, "http://a.test/", two],
    ["env", { HTTPS_PROXY: one, HTTP_PROXY: two }, "ws://a.test/", two],
    ["env", { https_proxy: two, HTTPS_PROXY: one }, "https://a.test/", two],
    ["env", { HTTPS_PROXY: "one.test:3128" }, "https://a.test/", one],
    ["env", { HTTPS_PROXY: "socks5://one.test:1080" }, "https://a.test/", "blocked socks5://one.test:1080"],
    ["env", { HTTPS_PROXY: "https://one.test" }, "https://a.test/", "blocked https://one.test"],
    ["env", { HTTPS_PROXY: "http://:::" }, "https://a.test/", "blocked (unreadable)"]
  ])("under %s, with %o, %s goes %s", (setting, environment, address, road) => {
    assert.strictEqual(told(route(setting, environment)(target(address))), road)
  })

  it.each([
    ["a.test", "https://a.test/", true],
    ["a.test", "https://deep.a.test/", true],
    ["a.test", "https://ba.test/", false],
    [".corp.example", "https://x.corp.example/", true],
    ["*.corp.example", "https://x.corp.example/", true],
    ["A.Test", "https://a.test/", true],
    ["host.example:443", "https://host.example/", true],
    ["host.example:443", "https://host.example:8443/", false],
    ["x.test, a.test", "https://a.test/", true],
    ["x.test a.test", "https://a.test/", true],
    ["*", "https://a.test/", true],
    ["127.0.0.0/8", "https://127.1.2.3/", true],
    ["127.0.0.0/8", "https://128.0.0.1/", false],
    ["127.0.0.0/8", "https://a.test/", false],
    ["10.0.0.1", "https://10.0.0.1/", true],
    ["0.0.1", "https://10.0.0.1/", false],
    ["fd00::/8", "https://[fd12::1]/", true],
    ["::1", "https://[::1]/", true],
    ["[::1]:443", "https://[::1]/", true],
    ["127.0.0.0/99", "https://127.0.0.1/", false],
    ["", "https://a.test/", false]
  ])("F070: NO_PROXY=%s on the way to %s: direct is %s", (list, address, expected) => {
    const road = route("env", { HTTPS_PROXY: one, NO_PROXY: list })(target(address))

    assert.strictEqual(road._tag === "Direct", expected)
  })

  it("F210: the password goes to the proxy and into no name", () => {
    const road = route("http://ann:p%40ss%@one.test:3128", {})(target("https://a.test/"))

    assert(road._tag === "Through" && road.proxy.authorization !== null)
    assert.strictEqual(road.proxy.name, one)
    assert.strictEqual(Redacted.value(road.proxy.authorization), `Basic ${btoa("ann:p@ss%")}`)
  })
})
