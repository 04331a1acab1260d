/** The configuration of a running gateway, read again: by hand, by signal, because its file changed. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { agentServer, says } from "../agentServer.ts"
import { command, feishuOf, gateway, linesOf, place, until } from "../service.ts"

const open = { direct: "open" }
const local = { id: "local", kind: "local" }
const quick = { retry: { base: "100ms", max: "300ms" } }

const threePeers = Effect.all([FeishuPeer.make(), FeishuPeer.make(), FeishuPeer.make()])

const reloads = (out: string) => linesOf(out).filter(({ event }) => event === "configuration reloaded").length

describe.concurrent("a reload", { timeout: 40_000 }, () => {
  it.live(
    "F206, F207: that changes one platform of three leaves the others their very sockets, and a turn its reply",
    () =>
      Effect.gen(function* () {
        const [one, two, three] = yield* threePeers
        const finished = yield* Deferred.make<void>()
        const agent = yield* agentServer(({ text }) => Effect.as(Deferred.await(finished), says(`you said ${text}`)))
        const settings = (link: unknown) => ({
          agent: { kind: "http", url: agent.url },
          platforms: [
            feishuOf(one, { id: "one", access: open }),
            feishuOf(two, { id: "two", access: open, link }),
            feishuOf(three, { id: "three", access: open })
          ]
        })
        const here = yield* place(settings({}))
        const running = yield* gateway(here)
        yield* running.statusWhere(({ health }) => health === "ok")
        const [before, after] = [yield* one.lines, yield* three.lines]
        yield* one.say({ text: "hello", chat: "oc_1" })
        yield* until(agent.turns, (turns) => turns.length === 1)

        yield* here.configure(settings(quick))
        const reloaded = yield* command(here, ["reload", "--json"])
        yield* running.statusWhere(({ health }) => health === "ok")
        const status = yield* until(
          running.status,
          ({ platforms }) => platforms[1]?.connects === 1 && platforms[1].state === "connected"
        )
        yield* Deferred.succeed(finished, undefined)
        const sent = yield* until(one.exchange.ledger, (sent) => sent.length > 0)

        assert.strictEqual(reloaded.code, 0, reloaded.err)
        assert.containSubset(JSON.parse(reloaded.out), {
          platforms: { started: [], stopped: [], replaced: ["two"] },
          restartNeeded: []
        })
        assert.deepStrictEqual(
          status.platforms.map(({ id, connects }) => [id, connects]),
          [
            ["one", 1],
            ["three", 1],
            ["two", 1]
          ].toSorted()
        )
        assert.deepStrictEqual(
          [(yield* one.lines)[0] === before[0], (yield* three.lines)[0] === after[0]],
          [true, true]
        )
        assert.strictEqual(sent.length, 1)
        assert.strictEqual((yield* running.stop()).code, 0)
      })
  )

  it.live(
    "F207: a turn of the very platform that is replaced outlives its drain, and its reply goes out by the new link",
    () =>
      Effect.gen(function* () {
        const [peer] = yield* threePeers
        const finished = yield* Deferred.make<void>()
        const agent = yield* agentServer(({ text }) => Effect.as(Deferred.await(finished), says(`you said ${text}`)))
        const settings = (link: unknown) => ({
          agent: { kind: "http", url: agent.url },
          shutdown: { drain: "500ms" },
          platforms: [feishuOf(peer, { access: open, link })]
        })
        const here = yield* place(settings({}))
        const running = yield* gateway(here)
        yield* running.statusWhere(({ health }) => health === "ok")
        const [before] = yield* peer.lines
        yield* peer.say({ text: "hello", chat: "oc_1" })
        yield* until(agent.turns, (turns) => turns.length === 1)

        yield* here.configure(settings(quick))
        const { code } = yield* command(here, ["reload"])
        yield* running.line("drain ran out", { platform: "feishu" })
        const [after] = yield* until(peer.lines, (lines) => lines.length === 1 && lines[0] !== before)
        yield* Deferred.succeed(finished, undefined)
        const sent = yield* until(peer.exchange.ledger, (sent) => sent.length > 0)

        assert.strictEqual(code, 0)
        assert.isDefined(after)
        assert.deepStrictEqual([sent.length, (yield* agent.turns).length], [1, 1])
      })
  )

  it.live("F206: of whom a platform hears is taken by the very socket that is up", () =>
    Effect.gen(function* () {
      const [peer] = yield* threePeers
      const settings = (allow: ReadonlyArray<string>) => ({
        platforms: [feishuOf(peer, { access: { direct: "allowlist", allow } })]
      })
      const here = yield* place(settings([]))
      const running = yield* gateway(here)
      yield* running.statusWhere(({ health }) => health === "ok")
      const [line] = yield* peer.lines
      yield* peer.say({ text: "unheard", chat: "oc_1", sender: "ou_7" })
      yield* running.statusWhere(({ inbox }) => inbox.refused === 1)

      yield* here.configure(settings(["ou_7"]))
      const { out } = yield* command(here, ["reload"])
      yield* peer.say({ text: "heard", chat: "oc_1", sender: "ou_7" })
      const sent = yield* until(peer.exchange.ledger, (sent) => sent.length > 0)

      assert.strictEqual(out, `${here.config}: reloaded\naccess changed: feishu\n`)
      assert.deepStrictEqual([sent.length, (yield* peer.lines)[0] === line], [1, true])
    })
  )

  it.live("F038: a platform that is disabled has no socket any more, one that is added has one; by SIGHUP", () =>
    Effect.gen(function* () {
      const [one, two] = yield* threePeers
      const settings = (enabled: boolean) => ({
        platforms: [local, feishuOf(one, { id: "one", enabled }), ...(enabled ? [] : [feishuOf(two, { id: "two" })])]
      })
      const here = yield* place(settings(true))
      const running = yield* gateway(here)
      yield* running.statusWhere(({ health }) => health === "ok")

      yield* here.configure(settings(false))
      yield* running.kill("SIGHUP")
      yield* running.line("configuration reloaded", { started: "two", stopped: "one" })
      const { platforms } = yield* running.statusWhere(({ platforms }) =>
        platforms.some(({ id, state }) => id === "two" && state === "connected")
      )
      yield* until(one.lines, (lines) => lines.length === 0)
      // The account is free for another gateway on the machine.
      const other = yield* gateway(yield* place({ platforms: [feishuOf(one)] }))
      yield* other.statusWhere(({ health }) => health === "ok")
      const { code } = yield* running.stop()

      assert.deepStrictEqual(
        platforms.map(({ id }) => id),
        ["local", "two"]
      )
      assert.strictEqual(code, 0)
    })
  )

  it.live("F205: with an error changes nothing, says what is wrong, and the file is only ever read", () =>
    Effect.gen(function* () {
      const [peer] = yield* threePeers
      const here = yield* place({ platforms: [feishuOf(peer)] })
      const running = yield* gateway(here)
      yield* running.statusWhere(({ health }) => health === "ok")
      const [line] = yield* peer.lines

      yield* here.configure({ platforms: [feishuOf(peer, { appSecret: "" })], alarmAfter: "soon" })
      const wrong = readFileSync(here.config, "utf8")
      const refused = yield* command(here, ["reload"])
      const status = yield* running.status
      const readyz = yield* running.get("/readyz")
      const kept = readFileSync(here.config, "utf8")
      yield* here.configure({ platforms: [feishuOf(peer)] })
      const accepted = yield* command(here, ["reload"])
      const after = yield* running.status

      assert.strictEqual(refused.code, 78)
      assert.match(refused.err, /has 2 faults; nothing changed\n.*alarmAfter .*\n.*platforms\[0\]\.appSecret /)
      assert.containSubset(status, { health: "degraded", platforms: [{ state: "connected", connects: 1 }] })
      assert.include(status.config.error ?? "", "platforms[0].appSecret")
      assert.strictEqual(readyz.status, 503)
      assert.strictEqual(kept, wrong)
      assert.deepStrictEqual([accepted.code, accepted.out], [0, `${here.config}: reloaded\nnothing changed\n`])
      assert.containSubset(after, { health: "ok", config: { error: null } })
      assert.deepStrictEqual([(yield* peer.lines)[0] === line, (yield* peer.lines).length], [true, 1])
    })
  )

  it.live("F208: what only a restart can take is named, jobs and the log's level are taken at once", () =>
    Effect.gen(function* () {
      const job = (id: string) => ({ id, schedule: "@daily", deliverTo: "local:me", text: "tick" })
      const here = yield* place({ platforms: [local], cron: [job("a"), job("b")] })
      const running = yield* gateway(here)

      yield* here.configure({
        platforms: [local],
        cron: [job("b"), { ...job("c"), schedule: "* * * * * *" }],
        log: { level: "warn" },
        outbox: { expire: "1h" },
        store: { url: "sqlite:other.db" }
      })
      const reloaded = yield* command(here, ["reload", "--json"])
      const again = yield* command(here, ["reload"])
      const { config, cron } = yield* running.statusWhere(({ outbox }) => outbox.delivered > 0)

      assert.containSubset(JSON.parse(reloaded.out), {
        cron: { added: ["c"], removed: ["a"], changed: [] },
        logLevel: "warn",
        restartNeeded: ["store.url", "outbox.expire"]
      })
      assert.include(again.out, "waits for a restart: store.url, outbox.expire")
      assert.deepStrictEqual(config.restartNeeded, ["store.url", "outbox.expire"])
      assert.deepStrictEqual(cron.jobs.map(({ id }) => id).toSorted(), ["b", "c"])
      assert.isTrue(linesOf(running.out()).some(({ event }) => event === "a restart is needed"))
      assert.strictEqual(linesOf(running.out()).filter(({ event }) => event === "cron fired").length, 0)
    })
  )

  it.live("F201: that asks for an account which another gateway has is refused as a whole", () =>
    Effect.gen(function* () {
      const [peer] = yield* threePeers
      const [here, there] = [yield* place({ platforms: [local] }), yield* place({ platforms: [feishuOf(peer)] })]
      const env = { HOME: here.folder }
      const [running, other] = [yield* gateway(here, { env }), yield* gateway(there, { env })]
      yield* other.statusWhere(({ health }) => health === "ok")

      const job = { id: "a", schedule: "@daily", deliverTo: "local:me", text: "tick" }
      yield* here.configure({ platforms: [local, feishuOf(peer)], cron: [job] })
      const refused = yield* command(here, ["reload"])
      const { cron, platforms } = yield* running.status
      yield* other.stop()
      const accepted = yield* command(here, ["reload"])
      yield* running.statusWhere(({ health }) => health === "ok")

      assert.deepStrictEqual([refused.code, accepted.code], [78, 0])
      assert.include(refused.err, "nothing changed: feishu: another gateway has the account")
      assert.deepStrictEqual([cron.jobs, platforms.map(({ id }) => id)], [[], ["local"]])
    })
  )

  it.live("F206: by --watch follows the file, and several writes at once are one", () =>
    Effect.gen(function* () {
      const here = yield* place({ platforms: [local] })
      const running = yield* gateway(here, {}, ["--watch"])
      const job = (id: string) => ({ id, schedule: "@daily", deliverTo: "local:me", text: "tick" })

      for (const id of ["a", "b", "c"]) {
        yield* here.configure({ platforms: [local], cron: [job(id)] })
        yield* Effect.sleep("100 millis")
      }
      yield* running.line("configuration reloaded")
      yield* Effect.sync(() => writeFileSync(here.config, "{"))
      yield* running.line("configuration not reloaded")
      const { config, cron } = yield* running.status

      assert.deepStrictEqual([reloads(running.out()), cron.jobs.map(({ id }) => id)], [1, ["c"]])
      assert.isNotNull(config.error)
    })
  )
})
