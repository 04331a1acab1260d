/** Whose a process is, and how its manager is told: variables that a shell inherited say nothing of this process. */
import { assert, describe, it } from "@effect/vitest"
import type { Facts, Managed } from "../../src/layers/managed.ts"
import { commandTo, managedBy } from "../../src/layers/managed.ts"

const facts = (env: Facts["env"], more: Partial<Facts> = {}): Facts => ({
  env,
  pid: 4242,
  parent: 4000,
  groups: "",
  ...more
})

const started = { INVOCATION_ID: "a", SYSTEMD_EXEC_PID: "4242" }
const ofUser = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/evergate.service\n"
const ofMachine = "0::/system.slice/evergate.service\n"
const terminal = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope\n"

const systemd = (more: Partial<Managed> = {}): Managed => ({
  manager: "systemd",
  unit: null,
  ofUser: false,
  isOurs: false,
  ...more
})

describe("a process", () => {
  it.each<readonly [string, Facts, Managed | null]>([
    ["started from a shell", facts({}), null],
    ["of a shell that descends from a service", facts({ INVOCATION_ID: "a", SYSTEMD_EXEC_PID: "77" }), null],
    ["of such a shell, by an older systemd", facts({ INVOCATION_ID: "a" }), null],
    ["started by systemd", facts(started, { groups: ofMachine }), systemd({ unit: "evergate.service" })],
    ["started by an older systemd", facts({ INVOCATION_ID: "a" }, { parent: 1 }), systemd()],
    [
      "of our unit, in a user's session",
      facts({ EVERGATE_MANAGER: "systemd", ...started }, { groups: ofUser }),
      systemd({ unit: "evergate.service", ofUser: true, isOurs: true })
    ],
    [
      "that only says so, within another's unit",
      facts({ EVERGATE_MANAGER: "systemd" }, { groups: ofUser }),
      systemd({ ofUser: true, isOurs: true })
    ],
    [
      "in a group that is no service",
      facts({ EVERGATE_MANAGER: "systemd", ...started }, { groups: terminal }),
      systemd({ ofUser: true, isOurs: true })
    ],
    [
      "of our property list",
      facts({ EVERGATE_MANAGER: "launchd", XPC_SERVICE_NAME: "dev.evergate.evergate" }),
      { manager: "launchd", unit: "dev.evergate.evergate", ofUser: true, isOurs: true }
    ],
    [
      "that says launchd in a terminal",
      facts({ EVERGATE_MANAGER: "launchd", XPC_SERVICE_NAME: "application.com.apple.Terminal" }),
      { manager: "launchd", unit: null, ofUser: true, isOurs: true }
    ],
    ["of anything else", facts({ EVERGATE_MANAGER: "runit" }), systemd({ manager: "runit" })]
  ])("F215: %s is known as whose it is", (_, given, expected) => {
    assert.deepStrictEqual(managedBy(given), expected)
  })
})

describe("the manager's own command", () => {
  it.each<readonly [Managed, "stop" | "restart", string | undefined]>([
    [systemd({ unit: "evergate.service" }), "stop", "systemctl stop evergate.service"],
    [systemd({ unit: "evergate.service", ofUser: true }), "restart", "systemctl --user restart evergate.service"],
    [systemd(), "stop", undefined],
    [systemd({ manager: "launchd", unit: "dev.evergate.a" }), "stop", "launchctl bootout gui/501/dev.evergate.a"],
    [systemd({ manager: "launchd", unit: "dev.evergate.a" }), "restart", undefined],
    [systemd({ manager: "runit", unit: "a" }), "stop", undefined]
  ])("F204, F215: of %o to %s is %s", (managed, action, expected) => {
    assert.strictEqual(commandTo(action, managed, 501)?.join(" "), expected)
  })
})
