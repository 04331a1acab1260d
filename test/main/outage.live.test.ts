/** Platforms that are away, for the built service: it stays up, its clock goes on, and it comes back by itself. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { command, feishuOf, gateway, place, until } from "../service.ts"

const everySecond = { id: "clock", schedule: "* * * * * *", deliverTo: "local:me", text: "tick" }
const local = { id: "local", kind: "local" }
const quick = { retry: { base: "100ms", max: "300ms" } }

describe.concurrent("a platform that is away", () => {
  it.live("F005: that answers 503 is asked again and again, while jobs fire and the process stays", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      yield* peer.upgrades.always({ _tag: "Refuse", status: 503 })
      const here = yield* place({ cron: [everySecond], platforms: [local, feishuOf(peer, { link: quick })] })

      const running = yield* gateway(here)
      const status = yield* running.statusWhere(
        ({ platforms, outbox }) => outbox.delivered >= 3 && (platforms[1]?.attempt ?? 0) >= 5
      )
      const livez = yield* running.get("/livez")
      const asked = yield* command(here, ["status"])
      const { code } = yield* running.stop()

      assert.containSubset(status, {
        health: "down",
        platforms: [{ state: "connected" }, { lastError: { kind: "HandshakeRejected" } }]
      })
      assert.deepStrictEqual([livez.status, asked.code, code], [200, 69, 0])
    })
  )

  it.live("F061: whose secret is wrong is failed, and asked again at long intervals only", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({
        cron: [everySecond],
        platforms: [local, feishuOf(peer, { appSecret: "another secret", link: quick })]
      })

      const running = yield* gateway(here)
      const line = yield* running.line("reconnecting", { platform: "feishu" })
      const status = yield* running.statusWhere(({ outbox }) => outbox.delivered >= 2)

      assert.strictEqual(line["in"], "5m")
      assert.containSubset(status, { platforms: [{}, { state: "failed", attempt: 1, lastError: { kind: "Auth" } }] })
      assert.notInclude(running.out(), "another secret")
    })
  )

  it.live("F066: whose name does not resolve at first is connected once it does", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({
        platforms: [feishuOf(peer, { domain: peer.url.replace("127.0.0.1", "localhost"), link: quick })]
      })
      const online = join(here.folder, "online")
      yield* Effect.sync(() => writeFileSync(join(here.folder, "names.mjs"), namesBy(online)))

      const running = yield* gateway(here, {
        nodeArgs: ["--import", pathToFileURL(join(here.folder, "names.mjs")).href]
      })
      const away = yield* running.statusWhere(({ platforms }) => (platforms[0]?.attempt ?? 0) >= 5)
      yield* Effect.sync(() => writeFileSync(online, ""))
      const back = yield* running.statusWhere(({ health }) => health === "ok")

      assert.containSubset(away, { health: "down", platforms: [{ lastError: { kind: "Dns" } }] })
      assert.containSubset(back, { platforms: [{ state: "connected", connects: 1 }] })
    })
  )

  it.live("F068: that nothing is reached of at the start is no end: alive, unhealthy, the clock running", () =>
    Effect.gen(function* () {
      const here = yield* place({
        cron: [everySecond],
        platforms: [local, { ...feishuOf(yield* FeishuPeer.make(), { link: quick }), domain: "http://127.0.0.1:9" }]
      })

      const running = yield* gateway(here)
      const status = yield* running.statusWhere(
        ({ outbox, platforms }) => outbox.delivered >= 2 && (platforms[1]?.attempt ?? 0) >= 3
      )
      const [livez, readyz] = yield* Effect.all([running.get("/livez"), running.get("/readyz")])

      assert.containSubset(status, {
        cron: { running: true },
        platforms: [{}, { lastError: { kind: "ConnectionRefused" } }]
      })
      assert.deepStrictEqual([livez.status, readyz.status], [200, 503])
    })
  )

  it.live(
    "F002, F007: that is reset ten times takes nobody with it: one process, and the neighbour keeps its socket",
    () =>
      Effect.gen(function* () {
        const [shaky, sound] = [yield* FeishuPeer.make(), yield* FeishuPeer.make()]
        const link = { retry: { base: "20ms", max: "20ms" } }
        const platforms = [
          local,
          feishuOf(shaky, { link }),
          feishuOf(sound, { id: "sound", access: { direct: "open" } })
        ]
        const here = yield* place({ platforms })
        const running = yield* gateway(here)
        const socket = yield* Queue.take(sound.connected)

        for (let nth = 0; nth < 10; nth++) {
          yield* (yield* Queue.take(shaky.connected)).drop
          yield* sound.say({ text: `after reset ${nth}` })
        }
        const status = yield* running.statusWhere(({ platforms }) => platforms[1]?.connects === 11)
        const answers = yield* until(sound.exchange.ledger, (sent) => sent.length === 10)

        assert.containSubset(status, {
          pid: running.pid,
          platforms: [{ connects: 1 }, {}, { connects: 1, disconnects: 0 }]
        })
        assert.deepStrictEqual(yield* sound.lines, [socket])
        assert.deepStrictEqual(new Set(answers.map(({ text }) => text.slice(0, 12))), new Set(["after reset "]))
        assert.deepStrictEqual(yield* shaky.exchange.ledger, [])
      })
  )

  it.live("F048, F049: that forgot us while the process stood is noticed at once after it goes on", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const link = { ...quick, heartbeat: { interval: "1m", timeout: "1s" } }
      const here = yield* place({ platforms: [feishuOf(peer, { link })] })
      const running = yield* gateway(here)
      yield* running.line("connected", { platform: "feishu" })

      yield* running.kill("SIGSTOP")
      yield* Effect.forEach(yield* peer.lines, (line) => line.goSilent, { discard: true })
      yield* Effect.sleep("4 seconds")
      yield* running.kill("SIGCONT")
      const paused = yield* running.line("paused", {}, "5 seconds")
      const lost = yield* running.line("disconnected", { kind: "KeepaliveTimeout" }, "5 seconds")
      const back = yield* running.statusWhere(({ platforms }) => platforms[0]?.connects === 2)

      assert.strictEqual(paused["kind"], "stopped")
      assert.isBelow(Date.parse(lost.time) - Date.parse(paused.time), 3_000)
      assert.strictEqual(back.health, "ok")
    })
  )
})

/** A resolver that knows `localhost` only once a file is there, as before the network is up. */
const namesBy = (online: string) => `
import dns from "node:dns"
import { existsSync } from "node:fs"
const real = dns.lookup
dns.lookup = (name, options, done) => {
  if (name !== "localhost") return real(name, options, done)
  if (existsSync(${JSON.stringify(online)})) return real("127.0.0.1", options, done)
  done(Object.assign(new Error("getaddrinfo EAI_AGAIN localhost"), { code: "EAI_AGAIN", syscall: "getaddrinfo", hostname: name }))
}
`
