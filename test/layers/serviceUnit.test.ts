/** The texts that service managers are given. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { managerOf } from "../../src/layers/managers.ts"
import type { ServiceFacts } from "../../src/layers/serviceUnit.ts"
import { launchdPlist, systemdUnit } from "../../src/layers/serviceUnit.ts"

const facts: ServiceFacts = {
  node: "/opt/node 24/bin/node",
  program: "/opt/evergate/dist/main.js",
  home: "/home/me/100%",
  config: "/etc/ever & gate.yaml",
  envFile: null,
  drain: Duration.seconds(20)
}

const lines = (text: string) => text.split("\n").map((line) => line.trim())

describe("the unit of systemd", () => {
  it("F078, F212, F213: waits longer than the drain, restarts crashes, and never what is to stay down", () => {
    const unit = lines(systemdUnit(facts, "user"))

    assert.includeMembers(unit, [
      "Type=notify",
      "TimeoutStopSec=35",
      "Restart=on-failure",
      "RestartPreventExitStatus=64 73 78",
      "StartLimitIntervalSec=0",
      'ExecStart="/opt/node 24/bin/node" /opt/evergate/dist/main.js run --config "/etc/ever & gate.yaml"',
      "Environment=EVERGATE_HOME=/home/me/100%% EVERGATE_MANAGER=systemd"
    ])
  })

  it("says every path as it is: in a command `$` names a variable, elsewhere it does not, and a newline ends no line", () => {
    const odd = { ...facts, config: '/a$b/"c\\d\ne.yaml', home: "/home/a$b\nRestart=no" }

    const unit = systemdUnit(odd, "user")

    assert.include(unit, String.raw`--config "/a$$b/\"c\\d\x0ae.yaml"`)
    assert.include(unit, String.raw`Environment="EVERGATE_HOME=/home/a$b\x0aRestart=no" EVERGATE_MANAGER=systemd`)
    assert.strictEqual(lines(unit).filter((line) => line.startsWith("Restart=")).length, 1)
  })

  it("waits for the network where it starts with the machine", () => {
    assert.include(systemdUnit(facts, "system"), "After=network-online.target")
    assert.notInclude(systemdUnit(facts, "user"), "network-online")
  })
})

describe("the property list of launchd", () => {
  it("F078, F213: waits longer than the drain, and starts again after every status but 0", () => {
    const text = launchdPlist(facts, "dev.evergate.evergate").replaceAll(/>\s+</g, "><")

    assert.include(text, "<key>ExitTimeOut</key><integer>35</integer>")
    assert.include(text, "<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>")
    assert.include(text, "<key>EVERGATE_MANAGER</key><string>launchd</string>")
    assert.include(text, "<string>--config</string><string>/etc/ever &amp; gate.yaml</string>")
  })

  it("is well formed: every element is closed, and a dictionary's keys and values come in turn", () => {
    const text = launchdPlist(facts, "dev.evergate.evergate")
    const open: Array<string> = []
    for (const [, closing, name = "", , self] of text.matchAll(/<(\/?)([a-z]+)( [^>]*?)?(\/?)>/g)) {
      if (self === "/") continue
      if (closing === "/") assert.strictEqual(open.pop(), name)
      else open.push(name)
    }

    assert.deepStrictEqual(open, [])
  })
})

describe("the manager of a machine", () => {
  const options = { userHome: "/home/me", uid: 501, name: "evergate", system: false }

  it.each([
    ["linux", "/home/me/.config/systemd/user/evergate.service"],
    ["darwin", "/home/me/Library/LaunchAgents/dev.evergate.evergate.plist"]
  ] as const)("%s: %s", (platform, file) => {
    assert.strictEqual(managerOf({ ...options, platform })?.file, file)
  })

  it("is none where there is none", () => {
    assert.isNull(managerOf({ ...options, platform: "win32" }))
  })
})
