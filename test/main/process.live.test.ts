/** The gateway in a process of its own: start, stop, restart, its log, and that an account has one gateway on a machine. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Holder } from "../../src/layers/holder.ts"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import type { Place } from "../service.ts"
import { command, feishuOf, gateway, linesOf, place, start, until } from "../service.ts"

/** A gateway that a test started and left is none of the next one's. */
const detachedPlace = (settings: Readonly<Record<string, unknown>> = {}) =>
  Effect.tap(place(settings), (here) => Effect.addFinalizer(() => Effect.ignore(command(here, ["stop"]))))

const pidOf = (here: Place) =>
  (JSON.parse(readFileSync(join(here.home, "evergate.lock"), "utf8")) as typeof Holder.Type).pid

/** The environment of a gateway whose process does this at SIGUSR2. */
const onSignal = ({ folder }: Place, code: string) => {
  const preload = join(folder, "preload.mjs")
  writeFileSync(preload, `process.once("SIGUSR2", () => { ${code} })\n`)
  return { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` }
}

describe.concurrent("evergate start, stop, restart", { timeout: 60_000 }, () => {
  it.live(
    "F203, F204, F217: start returns when it runs, says so when it runs already; a restart leaves nothing behind and tells no chat",
    () =>
      Effect.gen(function* () {
        const peer = yield* FeishuPeer.make()
        const here = yield* detachedPlace({ platforms: [feishuOf(peer)] })
        const started = yield* command(here, ["start"])
        const pid = pidOf(here)
        yield* until(peer.lines, (lines) => lines.length === 1)
        const again = yield* command(here, ["start"])
        const restarted = yield* command(here, ["restart"])
        yield* until(peer.lines, (lines) => lines.length === 1)
        const status = yield* command(here, ["status", "--json"])
        const stopped = yield* command(here, ["stop"])
        const twice = yield* command(here, ["stop"])
        const none = yield* command(here, ["status"])

        assert.deepStrictEqual(
          [started, again, restarted, status, stopped, twice, none].map(({ code }) => code),
          [0, 73, 0, 0, 0, 0, 69]
        )
        assert.include(started.out, `process ${pid}`)
        assert.include(again.err, `process ${pid}`)
        assert.notStrictEqual((JSON.parse(status.out) as { readonly pid: number }).pid, pid)
        assert.include(twice.out, "evergate is stopped")
        assert.deepStrictEqual(yield* peer.exchange.ledger, [])
      })
  )

  it.live("a start that fails ends with the status of its reason, which it tells", () =>
    Effect.gen(function* () {
      const here = yield* detachedPlace({ http: { port: "none" } })
      const { code, err } = yield* command(here, ["start"])

      assert.strictEqual(code, 78)
      assert.include(err, "http.port")
    })
  )

  it.live("F196, F203: after kill -9 the home is free, and the next start has what was kept", () =>
    Effect.gen(function* () {
      const here = yield* detachedPlace()
      yield* command(here, ["start"])
      const pid = pidOf(here)
      yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
      const status = yield* command(here, ["status"])
      const started = yield* command(here, ["start"])

      assert.deepStrictEqual([status.code, started.code], [69, 0])
      assert.include(status.out, "evergate is stopped")
    })
  )

  it.live(
    "F077: what does not stop within its drain and a margin is killed, and that is said",
    () =>
      Effect.gen(function* () {
        const here = yield* detachedPlace({ shutdown: { drain: "100ms" } })
        const env = onSignal(here, "for (;;);")
        yield* command(here, ["start"], { env })
        const pid = pidOf(here)
        yield* Effect.sync(() => process.kill(pid, "SIGUSR2"))
        const { code, err } = yield* command(here, ["stop"])

        assert.strictEqual(code, 0)
        assert.include(err, `process ${pid} did not stop`)
        assert.include((yield* command(here, ["status"])).out, "evergate is stopped")
      }),
    { timeout: 40_000 }
  )

  it.live("logs shows the last lines, follows, and steers no terminal; warnings stand in a file of their own too", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      yield* peer.upgrades.always({ _tag: "Refuse", status: 503 })
      const here = yield* detachedPlace({ platforms: [feishuOf(peer)] })
      yield* command(here, ["start"])
      const following = yield* start(here, ["logs", "-f", "-n", "2"])
      yield* following.seen("a line of a refusal", (out) => (out.includes("HandshakeRejected") ? true : undefined))
      writeFileSync(join(here.home, "logs", "gateway.log"), "\u001b[2Jowned\n", { flag: "a" })
      yield* following.seen("the escape", (out) => (out.includes("owned") ? true : undefined))
      const last = yield* command(here, ["logs", "-n", "1"])
      yield* command(here, ["stop"])
      const errors = linesOf(readFileSync(join(here.home, "logs", "gateway.error.log"), "utf8"))

      assert.notInclude(following.out(), "\u001b")
      assert.strictEqual(last.code, 0)
      assert.isNotEmpty(errors)
      assert.deepStrictEqual(
        errors.filter(({ level }) => level === "INFO"),
        []
      )
    })
  )
})

describe("the commands", () => {
  it.live("F202: speak to the gateway and the store of their own configuration, whatever else runs", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* place(), yield* place()]
      const running = yield* gateway(one)
      const kept = yield* command(two, ["send", "--to", "local:me", "for the second"])
      const sent = yield* command(one, ["send", "--to", "local:me", "for the first"])
      const { outbox } = yield* running.statusWhere(({ outbox }) => outbox.delivered === 1)

      assert.include(kept.out, "the gateway is stopped")
      assert.include(sent.out, "accepted")
      assert.deepStrictEqual(outbox, { pending: 0, delivered: 1, dead: 0 })
    })
  )

  it.live("F215: a stop under a manager ends with 0, after which none starts it again", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here, { env: { EVERGATE_MANAGER: "systemd" } })
      const stopped = yield* command(here, ["stop"])
      const { code } = yield* running.ended

      assert.deepStrictEqual([stopped.code, code], [0, 0])
    })
  )
})

describe.concurrent("one gateway an account", () => {
  it.live("F201: a second one, in another home, is refused with the pid, the home and what helps", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const [one, two] = [yield* place({ platforms: [feishuOf(peer)] }), yield* place({ platforms: [feishuOf(peer)] })]
      const env = { HOME: one.folder }
      const first = yield* gateway(one, { env })
      yield* first.line("connected", { platform: "feishu" })
      const { code, out } = yield* command(two, ["run"], { env })

      assert.strictEqual(code, 73)
      const error = linesOf(out).find(({ level }) => level === "ERROR")
      for (const part of [String(first.pid), one.home, "evergate stop", "--replace"]) assert.include(error?.event, part)
      assert.strictEqual((yield* peer.lines).length, 1)
    })
  )

  it.live("F200: --replace takes over without both being connected, and not again within five minutes", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const places = yield* Effect.forEach([1, 2, 3], () => place({ platforms: [feishuOf(peer)] }))
      const [one, two, three] = places as [Place, Place, Place]
      const env = { HOME: one.folder }
      const first = yield* gateway(one, { env })
      yield* first.line("connected", { platform: "feishu" })
      let most = 0
      const watching = Effect.forever(
        Effect.andThen(
          Effect.map(peer.lines, (lines) => (most = Math.max(most, lines.length))),
          Effect.sleep("2 millis")
        )
      )
      yield* Effect.forkScoped(watching)
      const second = yield* start(two, ["run", "--replace"], { env })
      yield* second.seen("connected", (out) =>
        linesOf(out).some(({ event, platform }) => event === "connected" && platform === "feishu") ? true : undefined
      )
      const { code } = yield* first.ended
      const third = yield* command(three, ["run", "--replace"], { env })

      assert.strictEqual(code, 0)
      assert.strictEqual(most, 1)
      assert.strictEqual(third.code, 73)
      assert.include(third.out, "less than 5 minutes ago")
    })
  )

  it.live("F200: a gateway under a service manager is not replaced", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const first = yield* gateway(here, { env: { EVERGATE_MANAGER: "systemd" } })
      const { code, out } = yield* command(here, ["run", "--replace"])
      const { health } = yield* first.status

      assert.strictEqual(code, 73)
      assert.include(out, "systemd would start it again")
      assert.strictEqual(health, "ok")
    })
  )

  it.live("F200: who may not take over an account stops nobody else for its home", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const [here, managed] = [yield* place(), yield* place({ platforms: [feishuOf(peer)] })]
      const env = { HOME: here.folder }
      const first = yield* gateway(here, { env })
      const other = yield* gateway(managed, { env: { ...env, EVERGATE_MANAGER: "systemd" } })
      yield* other.line("connected", { platform: "feishu" })
      yield* here.configure({ platforms: [feishuOf(peer)] })
      const { code, out } = yield* command(here, ["run", "--replace"], { env })
      const { pid } = yield* first.status

      assert.strictEqual(code, 73)
      assert.include(out, "systemd would start it again")
      assert.strictEqual(pid, first.pid)
    })
  )

  it.live("F196, F199: a lock whose number belongs to another program by now is taken over", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({ platforms: [feishuOf(peer)] })
      const first = yield* gateway(here)
      yield* first.line("connected", { platform: "feishu" })
      const lock = readFileSync(join(here.home, "evergate.lock"), "utf8")
      yield* first.kill("SIGKILL")
      yield* first.ended
      const recycled = { ...(JSON.parse(lock) as object), pid: process.pid }
      writeFileSync(join(here.home, "evergate.lock"), JSON.stringify(recycled))
      const second = yield* gateway(here)
      yield* second.line("connected", { platform: "feishu" })
      const taken = yield* until(
        Effect.sync(() => pidOf(here)),
        (pid) => pid === second.pid
      )

      assert.strictEqual(taken, second.pid)
    })
  )

  it.live("without a place for its locks the gateway runs, and says that nobody would notice a second one", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({ platforms: [feishuOf(peer)] })
      writeFileSync(join(here.folder, ".evergate"), "a file where the folder would be")
      const running = yield* gateway(here)
      const line = yield* running.line("no lock for the account: a second gateway on it would not be noticed")
      yield* running.line("connected", { platform: "feishu" })

      assert.containSubset(line, { level: "WARN", platform: "feishu" })
    })
  )

  it.live("F198: a lock of an account that is cut is no lock", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({ platforms: [feishuOf(peer)] })
      const first = yield* gateway(here)
      const folder = join(here.folder, ".evergate", "locks")
      const [lock = ""] = readdirSync(folder)
      yield* first.kill("SIGKILL")
      yield* first.ended
      writeFileSync(join(folder, lock), '{"pid": 12, "ho')
      const second = yield* gateway(here)
      yield* second.line("connected", { platform: "feishu" })
      yield* second.stop()

      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.live("F213: under launchd what is to stay down ends with 0, after its line", () =>
    Effect.gen(function* () {
      const here = yield* place()
      yield* gateway(here)
      const { code, out } = yield* command(here, ["run"], { env: { EVERGATE_MANAGER: "launchd" } })

      assert.strictEqual(code, 0)
      assert.include(out, "another gateway holds this home")
    })
  )
})
