/** `evergate stop`: in every state of a link, beside a turn that hangs, under a manager, and beside a command that writes. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { hang } from "../../src/testing/HttpAnswer.ts"
import { agentServer } from "../agentServer.ts"
import { runProgram } from "../processes.ts"
import type { Gateway, Place } from "../service.ts"
import { command, feishuOf, gateway, linesOf, place, until } from "../service.ts"

const local = { id: "local", kind: "local", access: { direct: "open" } }
const troubles = (out: string) => linesOf(out).filter(({ level }) => level !== "INFO")

/** How a link comes to be in a state, and how that shows. */
interface Way {
  readonly name: string
  readonly account?: Readonly<Record<string, unknown>>
  readonly far: (peer: FeishuPeer.FeishuPeer) => Effect.Effect<void>
  readonly there: (running: Gateway, peer: FeishuPeer.FeishuPeer) => Effect.Effect<unknown>
}

const inState = (state: string) => (running: Gateway) =>
  running.statusWhere(({ platforms }) => platforms[0]?.state === state)

const ways: ReadonlyArray<Way> = [
  {
    name: "connecting, its bootstrap hanging",
    far: (peer) => peer.exchange.endpoint.always(hang),
    there: inState("connecting")
  },
  {
    name: "connecting, its upgrade hanging",
    far: (peer) => peer.upgrades.always({ _tag: "Hang" }),
    there: inState("connecting")
  },
  { name: "connected", far: () => Effect.void, there: inState("connected") },
  {
    name: "in backoff",
    far: (peer) => peer.upgrades.always({ _tag: "Refuse", status: 503 }),
    there: inState("backoff"),
    account: { link: { retry: { first: "1h" } } }
  },
  { name: "failed", far: () => Effect.void, there: inState("failed"), account: { appSecret: "the wrong secret" } }
]

describe.concurrent("a stop by hand", { timeout: 60_000 }, () => {
  it.live.each(ways)(
    "F077: ends a gateway whose link is $name, with 0, and leaves no connection",
    ({ account, far, there }) =>
      Effect.gen(function* () {
        const peer = yield* FeishuPeer.make()
        yield* far(peer)
        const here = yield* place({ platforms: [feishuOf(peer, account)] })
        const running = yield* gateway(here)
        yield* there(running, peer)

        const stopped = yield* command(here, ["stop"])
        const { code } = yield* running.ended

        assert.deepStrictEqual([stopped.code, stopped.out], [0, `evergate is stopped (process ${running.pid})\n`])
        assert.strictEqual(code, 0)
        yield* until(peer.lines, (lines) => lines.length === 0)
      })
  )

  it.live("F077, F083: says what it waits for, and outlasts the drain", () =>
    Effect.gen(function* () {
      const agent = yield* agentServer(() => Effect.succeed(hang))
      const here = yield* place({
        shutdown: { drain: "5s" },
        agent: { kind: "http", url: agent.url },
        platforms: [local]
      })
      const running = yield* gateway(here)
      yield* running.post("/api/chat", { text: "are you there?" })
      yield* until(agent.turns, (turns) => turns.length === 1)

      const stopped = yield* command(here, ["stop"])
      const { code, out } = yield* running.ended

      assert.deepStrictEqual([stopped.code, code], [0, 0])
      assert.deepStrictEqual(stopped.out.split("\n"), [
        "waiting for 1 turn, 15s at most",
        `evergate is stopped (process ${running.pid})`,
        ""
      ])
      assert.deepStrictEqual(
        troubles(out).map(({ event }) => event),
        ["drain ran out"]
      )
    })
  )

  it.live("wakes a gateway that was halted, which then stops as any other", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      yield* running.kill("SIGSTOP")

      const stopped = yield* command(here, ["stop"])
      const { code, out } = yield* running.ended

      assert.deepStrictEqual([stopped.code, stopped.err, code], [0, "", 0])
      assert.deepStrictEqual(troubles(out), [])
    })
  )

  it.live("F215: goes by the manager that would start it again, and says so", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const told = join(here.folder, "launchctl.log")
      const running = yield* gateway(here, { env: { EVERGATE_MANAGER: "launchd", XPC_SERVICE_NAME: "dev.evergate.a" } })
      const PATH = withProgram(here, "launchctl", `echo "$@" >> ${told}; kill -TERM ${running.pid}`)

      const stopped = yield* command(here, ["stop"], { env: { PATH } })
      const { code } = yield* running.ended

      assert.deepStrictEqual([stopped.code, code], [0, 0])
      assert.match(readFileSync(told, "utf8"), /^bootout gui\/\d+\/dev\.evergate\.a\n$/)
      assert.include(stopped.out, `process ${running.pid} is run by launchd: \`launchctl bootout gui/`)
    })
  )

  it.live("F204, F215: where nobody can tell the manager, a person is told, and nothing is touched", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here, { env: { EVERGATE_MANAGER: "runit" } })

      const stop = yield* command(here, ["stop"])
      const restart = yield* command(here, ["restart"])
      const { status } = yield* running.get("/livez")

      const who = `process ${running.pid} is run by runit`
      assert.deepStrictEqual([stop.code, stop.err], [1, `${who}, which would start it again; stop it there\n`])
      assert.deepStrictEqual([restart.code, restart.err], [1, `${who}; restart it there\n`])
      assert.strictEqual(status, 200)
    })
  )

  it.live("leaves a command that writes in the home until it is done, and so does a start", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const holder = new URL("../layers/homeHolder.ts", import.meta.url)
      const [written, [took, stopped], running] = yield* Effect.all(
        [
          runProgram(holder, [here.home, "4000"]),
          Effect.delay(Effect.timed(command(here, ["stop"])), "1 second"),
          Effect.delay(gateway(here), "1 second")
        ],
        { concurrency: "unbounded" }
      )

      assert.strictEqual(written.out, "held\nreleased\n")
      assert.strictEqual(stopped.code, 0)
      assert.isBelow(Duration.toMillis(took), 10_000)
      assert.strictEqual((yield* running.stop()).code, 0)
    })
  )
})

/** A `PATH` on which a program does this. */
const withProgram = ({ folder }: Place, name: string, script: string): string => {
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return `${join(folder, "bin")}:${process.env["PATH"]}`
}
