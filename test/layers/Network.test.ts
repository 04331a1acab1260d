/** What counts as another network, as tables. */
import { assert, describe, it } from "@effect/vitest"
import type { NetworkInterfaceInfo } from "node:os"
import { viewOf } from "../../src/layers/Network.ts"

const info = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  netmask: "",
  family: "IPv4",
  mac: "",
  internal,
  cidr: null
})

const heading = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
const byDefault = `${heading}eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n`
const home = viewOf({ eth0: [info("192.168.2.7")] }, byDefault)

describe("the view of the network", () => {
  it.each([
    ["another address", { eth0: [info("192.168.2.8")] }, byDefault],
    ["another interface", { wlan0: [info("192.168.2.7")] }, byDefault],
    ["no address", {}, byDefault],
    ["one more", { eth0: [info("192.168.2.7")], tun0: [info("10.8.0.2")] }, byDefault],
    ["another gateway", { eth0: [info("192.168.2.7")] }, byDefault.replace("0102A8C0", "FE02A8C0")],
    ["no way out", { eth0: [info("192.168.2.7")] }, heading]
  ])("is another one by %s", (_, interfaces, routes) => {
    assert.notStrictEqual(viewOf(interfaces, routes), home)
  })

  it.each([
    ["the machine's own address", { lo: [info("127.0.0.1", true)], eth0: [info("192.168.2.7")] }, byDefault],
    [
      "addresses that every link makes up",
      { eth0: [info("192.168.2.7"), info("fe80::1"), info("169.254.9.9")] },
      byDefault
    ],
    [
      "a route to somewhere",
      { eth0: [info("192.168.2.7")] },
      `${byDefault}eth0\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n`
    ]
  ])("is the same one with %s", (_, interfaces, routes) => {
    assert.strictEqual(viewOf(interfaces, routes), home)
  })
})
