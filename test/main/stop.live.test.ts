/** How the built service ends: told to, told twice, by a bug, by a reader that is gone, by giving up. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { hang } from "../../src/testing/HttpAnswer.ts"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { agentServer, says } from "../agentServer.ts"
import { feishuOf, gateway, linesOf, place, until } from "../service.ts"

const isTrouble = ({ level }: { readonly level: string }) => ["WARN", "ERROR", "FATAL"].includes(level)
const troubles = (out: string) => linesOf(out).filter(isTrouble)

/** A gateway whose agent has a turn in hand and never answers it. */
const withTurn = Effect.fnUntraced(function* (drain: string) {
  const agent = yield* agentServer(() => Effect.succeed(hang))
  const here = yield* place({
    shutdown: { drain },
    agent: { kind: "http", url: agent.url },
    platforms: [{ id: "local", kind: "local", access: { direct: "open" } }]
  })
  const running = yield* gateway(here)
  yield* running.post("/api/chat", { text: "are you there?" })
  yield* until(agent.turns, (turns) => turns.length === 1)
  return { here, running, agent }
})

describe.concurrent("told to stop", () => {
  it.live.each(["SIGTERM", "SIGINT"] as const)("by %s: ends with 0, and has nothing to complain of", (signal) =>
    Effect.gen(function* () {
      const running = yield* gateway(yield* place())

      const [took, { code, out }] = yield* Effect.timed(running.stop(signal))

      assert.strictEqual(code, 0)
      assert.deepStrictEqual(troubles(out), [])
      assert.isBelow(Duration.toMillis(took), 3_000)
      assert.deepStrictEqual(
        linesOf(out)
          .slice(-4)
          .map(({ event }) => event),
        ["stopping", "stopped", "cron stopped", "stopped"]
      )
    })
  )

  it.live("F021: a link that the server closed before is stopped like any other, also twice, with 0", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const running = yield* gateway(yield* place({ platforms: [feishuOf(peer)] }))
      yield* running.line("connected", { platform: "feishu" })
      yield* peer.exchange.endpoint.always(hang)
      yield* Effect.forEach(yield* peer.lines, (line) => line.close(1000), { discard: true })
      yield* running.line("disconnected", { kind: "ClosedByServer" })

      yield* running.kill("SIGTERM")
      const { code, out } = yield* running.stop()

      assert.strictEqual(code, 0)
      assert.deepStrictEqual(
        troubles(out).map(({ event }) => event),
        ["disconnected"]
      )
    })
  )

  it.live("F077: uses its drain for the running turn, and ends with 0 before the drain and 5 s are over", () =>
    Effect.gen(function* () {
      const { running } = yield* withTurn("1s")

      const [took, { code, out }] = yield* Effect.timed(running.stop())

      assert.strictEqual(code, 0)
      assert.deepStrictEqual(
        troubles(out).map(({ event }) => event),
        ["drain ran out"]
      )
      assert.closeTo(Duration.toSeconds(took), 2, 1.5)
    })
  )

  it.live(
    "F079: without a drain a turn that needs a while still ends; a drain of 0 cuts it at once, for the next start",
    () =>
      Effect.gen(function* () {
        const agent = yield* agentServer((turn) =>
          turn.attempt === 1 && turn.text === "cut"
            ? Effect.succeed(hang)
            : Effect.as(Effect.sleep("800 millis"), says("done"))
        )
        const settings = {
          agent: { kind: "http", url: agent.url },
          platforms: [{ id: "local", kind: "local", access: { direct: "open" } }]
        }
        const here = yield* place(settings)
        const first = yield* gateway(here)
        yield* first.post("/api/chat", { text: "finish" })
        yield* until(agent.turns, (turns) => turns.length === 1)
        const finished = yield* first.stop()

        yield* here.configure({ ...settings, shutdown: { drain: "0s" } })
        const second = yield* gateway(here)
        const kept = yield* second.get("/api/chat")
        yield* second.post("/api/chat", { text: "cut" })
        yield* until(agent.turns, (turns) => turns.length === 2)
        const [took, cut] = yield* Effect.timed(second.stop())
        const third = yield* gateway(here)
        yield* until(third.get("/api/chat"), ({ text }) => text.split("done").length === 3)

        assert.deepStrictEqual([finished.code, troubles(finished.out)], [0, []])
        assert.include(kept.text, "done")
        assert.strictEqual(cut.code, 0)
        assert.isBelow(Duration.toMillis(took), 3_000)
        assert.deepStrictEqual(
          (yield* agent.turns).map(({ attempt }) => attempt),
          [1, 1, 2]
        )
      })
  )
})

describe("told twice", () => {
  it.live("within 500 ms: that is once", () =>
    Effect.gen(function* () {
      const { running } = yield* withTurn("1s")

      yield* running.kill("SIGINT")
      yield* running.line("stopping")
      const { code } = yield* running.stop("SIGINT")

      assert.strictEqual(code, 0)
    })
  )

  it.live.each([
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const)("F083: a later %s ends at once with %i, also while an agent hangs", ([signal, status]) =>
    Effect.gen(function* () {
      const { running } = yield* withTurn("30s")
      yield* running.kill("SIGTERM")
      const { time } = yield* running.line("stopping")
      yield* Effect.sleep(Duration.millis(Date.parse(time) + 700 - Date.now()))

      const [took, { code }] = yield* Effect.timed(running.stop(signal))

      assert.strictEqual(code, status)
      assert.isBelow(Duration.toMillis(took), 500)
    })
  )
})

/** Runs code in the service's process, outside of any fiber, once it gets SIGUSR2. */
const withBug = Effect.fnUntraced(function* (code: string) {
  const here = yield* place()
  const preload = join(here.folder, "bug.mjs")
  yield* Effect.sync(() => writeFileSync(preload, `process.once("SIGUSR2", () => { ${code} })\n`))
  return yield* gateway(here, { nodeArgs: ["--import", pathToFileURL(preload).href] })
})

describe.concurrent("an error outside of any fiber", () => {
  it.live("an uncaught exception is logged with its stack, and ends with 70", () =>
    Effect.gen(function* () {
      const running = yield* withBug(`setTimeout(() => { throw new Error("out of the blue") })`)

      const { code, out } = yield* running.stop("SIGUSR2")

      assert.strictEqual(code, 70)
      const [line] = troubles(out)
      assert.containSubset(line, { level: "FATAL", event: "uncaught exception" })
      assert.match(String(line?.["error"]), /out of the blue[\s\S]*bug\.mjs/)
    })
  )

  it.live("F073: an unhandled rejection is logged, and the gateway goes on", () =>
    Effect.gen(function* () {
      const running = yield* withBug(`Promise.reject(new TypeError("fetch failed"))`)

      yield* running.kill("SIGUSR2")
      const line = yield* running.line("unhandled rejection")
      const livez = yield* running.get("/livez")
      const { code } = yield* running.stop()

      assert.containSubset(line, { level: "ERROR" })
      assert.include(String(line["error"]), "fetch failed")
      assert.deepStrictEqual([livez.status, code], [200, 0])
    })
  )

  it.live("a log that nobody reads any more is no reason to end", () =>
    Effect.gen(function* () {
      const running = yield* gateway(yield* place())

      yield* running.closeOutput
      yield* running.post("/api/chat", { text: "still there?" })
      yield* until(running.get("/api/chat"), ({ json }) => Array.isArray(json) && json.length === 2)
      const { code } = yield* running.stop()

      assert.strictEqual(code, 0)
    })
  )
})
