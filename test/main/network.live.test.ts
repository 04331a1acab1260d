/** The machine's network under a real gateway: a name that comes late, and addresses that change. In namespaces of the tests' own. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Fake from "../../src/testing/feishu/FakeFeishu.ts"
import * as Peer from "../../src/testing/Peer.ts"
import { certificate } from "../certificates.ts"
import type { RunningOptions } from "../processes.ts"
import { gateway, place } from "../service.ts"

/** Runs in a namespace, after some commands there. */
const within = (namespace: "--mount" | "--net", commands: string): Partial<RunningOptions> => ({
  node: "unshare",
  nodeArgs: [namespace, "sh", "-c", `${commands} && exec ${process.execPath} "$0" "$@"`]
})

const may = (...[program, ...args]: readonly [string, ...ReadonlyArray<string>]): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Two ends of a cable: an end without the other one is down. */
const pair =
  "ip link add v0 type veth peer name v1 && ip addr add 192.0.2.7/24 dev v0 && ip link set v0 up && ip link set v1 up && ip link set lo up"

describe.concurrent("a gateway", () => {
  it.live.skipIf(!may("unshare", "--mount", "sh", "-c", "mount --bind /etc/hosts /etc/hosts"))(
    "F066, F067: connects when the name that it needs resolves at last, though it did not at the start",
    () =>
      Effect.gen(function* () {
        const { cert, key } = certificate({ names: ["comes.late.test"] })
        let socket = ""
        const fake = yield* Fake.make({}, { socket: () => socket })
        const port = yield* Peer.serve(
          { http: fake.exchange.answer, upgrade: fake.upgrades.take, socket: fake.attach },
          { cert, key }
        )
        socket = `wss://comes.late.test:${port}/ws/v2`
        const { appId, appSecret } = fake.options
        const domain = `https://comes.late.test:${port}`
        const here = yield* place({
          platforms: [{ id: "feishu", kind: "feishu", appId, appSecret, domain, proxy: "none" }]
        })
        const [hosts, ca] = [join(here.folder, "hosts"), join(here.folder, "ca.pem")]
        yield* Effect.sync(() => {
          writeFileSync(hosts, "127.0.0.1 localhost\n")
          writeFileSync(ca, cert)
        })

        const running = yield* gateway(here, {
          ...within("--mount", `mount --bind ${hosts} /etc/hosts`),
          env: { NODE_EXTRA_CA_CERTS: ca }
        })
        const refused = yield* running.line("disconnected")
        yield* running.statusWhere(({ platforms }) => (platforms[0]?.attempt ?? 0) >= 2)
        yield* Effect.sync(() => appendFileSync(hosts, "127.0.0.1 comes.late.test\n"))
        const { platforms } = yield* running.statusWhere(({ health }) => health === "ok", "30 seconds")
        const { code } = yield* running.stop()

        assert.containSubset(refused, { kind: "Dns", hint: "check the name, the resolver and the network" })
        assert.containSubset(platforms[0], { state: "connected", connects: 1 })
        assert.strictEqual(code, 0)
      })
  )

  it.live.skipIf(!may("unshare", "--net", "sh", "-c", pair))(
    "notices within 5 s that the machine has another address, and that its way out is another one",
    () =>
      Effect.gen(function* () {
        const here = yield* place()
        const running = yield* gateway(here, within("--net", pair))
        const ip = (...args: ReadonlyArray<string>) =>
          Effect.sync(() => execFileSync("nsenter", ["--net", "-t", String(running.pid), "ip", ...args]))
        const noticed = Effect.fnUntraced(function* (network: string) {
          const began = yield* Clock.currentTimeMillis
          yield* running.line("the network changed; every link is probed", { network }, "5 seconds")
          return (yield* Clock.currentTimeMillis) - began
        })

        yield* ip("addr", "add", "192.0.2.8/24", "dev", "v0")
        const address = yield* noticed("v0 192.0.2.7, v0 192.0.2.8")
        yield* ip("route", "add", "default", "via", "192.0.2.1", "dev", "v0")
        const route = yield* noticed("v0 192.0.2.7, v0 192.0.2.8, v0 by 192.0.2.1")
        yield* running.stop()

        assert.isBelow(Math.max(address, route), 5_000)
      })
  )
})
