/** What takes its time by the contract: waits of many seconds, which run side by side here. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as net from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { listen } from "../../src/testing/Peer.ts"
import { command, feishuOf, gateway, linesOf, place } from "../service.ts"

const runsIn = (file: string): number => {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare("SELECT count(*) AS n FROM cron_runs").get()
  db.close()
  return Number(row?.["n"])
}

const troubles = (out: string) => linesOf(out).filter(({ level }) => level === "WARN" || level === "ERROR")

describe.concurrent("in its own time", () => {
  it.live(
    "F214: a port that stays taken ends a start with 78 after 10 s, naming it; a port that is let go in time is used",
    () =>
      Effect.gen(function* () {
        const server = net.createServer()
        const port = yield* listen(server)
        const peer = yield* FeishuPeer.make()
        const everySecond = { id: "often", schedule: "* * * * * *", deliverTo: "local:me", text: "tick" }
        const platforms = [feishuOf(peer), { id: "local", kind: "local" }]
        const [taken, freed] = [yield* place({ http: { port }, platforms, cron: [everySecond] }), yield* place()]
        const other = net.createServer()
        const second = yield* listen(other)
        yield* freed.configure({ http: { port: second } })
        const letGo = Effect.andThen(
          Effect.sleep("2 seconds"),
          Effect.sync(() => other.close())
        )

        const [[took, { code, out }], patient] = yield* Effect.all(
          [Effect.timed(command(taken, ["run"])), gateway(freed), letGo],
          { concurrency: "unbounded" }
        )

        assert.strictEqual(code, 78)
        assert.include(troubles(out)[0]?.event, `cannot listen on 127.0.0.1:${port}`)
        // Ten seconds of patience, and the start of a process on a machine that is busy with others.
        assert.isAtLeast(Duration.toSeconds(took), 10)
        assert.isAtMost(Duration.toSeconds(took), 25)
        assert.strictEqual(patient.url, `http://127.0.0.1:${second}`)
        // Who may not stay has not begun: nothing connected, and no job was decided.
        const events = new Set(linesOf(out).map(({ event }) => event))
        assert.deepStrictEqual([...events].toSorted(), [
          `cannot listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; free the port or set http.port`,
          "configuration",
          "not listening yet",
          "stopped"
        ])
        assert.strictEqual(runsIn(join(taken.home, "evergate.db")), 0)
      })
  )

  it.live(
    "a one-shot in the past is refused with 78 where it is new; one that ran in its time may stay in the file",
    () =>
      Effect.gen(function* () {
        const soon = new Date(Date.now() + 8_000).toISOString()
        const job = { id: "once", schedule: soon, deliverTo: "local:me", text: "now" }
        const here = yield* place({ cron: [job] })
        const running = yield* gateway(here)
        yield* running.statusWhere(({ cron }) => cron.jobs[0]?.last !== null)
        yield* running.stop()

        const again = yield* gateway(here)
        yield* again.stop()
        yield* here.configure({ cron: [job, { ...job, id: "late", schedule: "2020-01-01T00:00:00Z" }] })
        const { code, out } = yield* command(here, ["run"])

        assert.strictEqual(code, 78)
        assert.include(out, "cron[1].schedule")
        assert.notInclude(out, "cron[0]")
      })
  )

  it.live(
    "`send` while the gateway does not answer says that it holds the home, and keeps nothing behind its back",
    () =>
      Effect.gen(function* () {
        const here = yield* place()
        const running = yield* gateway(here)
        yield* running.kill("SIGSTOP")

        const { code, err } = yield* command(here, ["send", "--to", "local:me", "hello"])
        yield* running.kill("SIGCONT")

        assert.strictEqual(code, 73)
        assert.include(err, `process ${running.pid}`)
      })
  )

  it.live("no platform came back for `escalate.after`: drained, and 75", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      yield* peer.upgrades.always({ _tag: "Refuse", status: 503 })
      const link = { retry: { base: "200ms", max: "500ms" } }
      const here = yield* place({ platforms: [feishuOf(peer, { link })], escalate: { after: "1s" } })

      const running = yield* gateway(here)
      const { code, out } = yield* running.ended

      assert.strictEqual(code, 75)
      assert.match(troubles(out).at(-1)?.event ?? "", /^no platform has been connected for .*: feishu$/)
      assert.containSubset(linesOf(out).slice(-2), [{ event: "cron stopped" }, { event: "stopped", status: 75 }])
    })
  )
})
