/** `evergate start` and `restart` where something is wrong: each says what, with the status of it, and leaves what there was. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import * as net from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { listen } from "../../src/testing/Peer.ts"
import type { Place } from "../service.ts"
import { command, gateway, linesOf, place, until } from "../service.ts"

/** Whatever a test starts is stopped with it. */
const detachedPlace = (settings: Readonly<Record<string, unknown>> = {}) =>
  Effect.tap(place(settings), (here) => Effect.addFinalizer(() => Effect.ignore(command(here, ["stop"]))))

const pidOf = ({ home }: Place): number => {
  // The gateway's own lock; its tests show what stands in it.
  const { pid } = JSON.parse(readFileSync(join(home, "evergate.lock"), "utf8")) as { readonly pid: number }
  return pid
}

const logOf = ({ home }: Place, name: string) => readFileSync(join(home, "logs", name), "utf8")

/** The environment of a gateway whose process does this at SIGUSR2. */
const onSignal = ({ folder }: Place, code: string) => {
  const preload = join(folder, "preload.mjs")
  writeFileSync(preload, `process.once("SIGUSR2", () => { ${code} })\n`)
  return { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` }
}

describe.concurrent("a start by hand", { timeout: 60_000 }, () => {
  it.live("F212: that fails says why, from its own log, and ends with its own status", () =>
    Effect.gen(function* () {
      const here = yield* place()
      yield* (yield* gateway(here)).stop()
      writeFileSync(join(here.home, "evergate.db"), "this was a database once ".repeat(1_000))

      const { code, err, out } = yield* command(here, ["start"])

      assert.deepStrictEqual([code, out], [74, ""])
      assert.include(err, join(here.home, "evergate.db"))
      assert.include(err, "the gateway ended with 74 before it was ready")
    })
  )

  it.live("F213: of two at the same time one runs, and the other names it", () =>
    Effect.gen(function* () {
      const here = yield* detachedPlace()

      const ends = yield* Effect.all([command(here, ["start"]), command(here, ["start"])], { concurrency: 2 })

      const [runs, refused] = ends.toSorted((one, other) => (one.code ?? 0) - (other.code ?? 0))
      assert.deepStrictEqual([runs?.code, refused?.code], [0, 73])
      assert.include(runs?.out, `process ${pidOf(here)}`)
      assert.include(refused?.err, `process ${pidOf(here)}`)
    })
  )

  it.live("F210: writes its log for its owner alone, and what a crash says lands there too", () =>
    Effect.gen(function* () {
      const here = yield* detachedPlace()
      const native = `process.stderr.write("native words\\n", () => process.kill(process.pid, "SIGKILL"))`
      yield* command(here, ["start"], { env: onSignal(here, native) })

      process.kill(pidOf(here), "SIGUSR2")
      const { out } = yield* until(command(here, ["logs", "-n", "1"]), ({ out }) => out === "native words\n")
      const status = yield* command(here, ["status"])

      assert.strictEqual(out, "native words\n")
      assert.include(status.out, "evergate is stopped")
      for (const file of ["gateway.log", "gateway.error.log"]) {
        assert.strictEqual(statSync(join(here.home, "logs", file)).mode & 0o777, 0o600)
      }
    })
  )

  it.live("a loop that stands leaves its last line in both files", () =>
    Effect.gen(function* () {
      const here = yield* detachedPlace({ watchdog: { stall: "1s" } })
      yield* command(here, ["start"], { env: onSignal(here, "for (;;);") })

      process.kill(pidOf(here), "SIGUSR2")
      const stood = (name: string) => Effect.sync(() => linesOf(logOf(here, name)).at(-1)?.event)
      yield* until(stood("gateway.log"), (event) => event === "the event loop stands")
      yield* until(stood("gateway.error.log"), (event) => event === "the event loop stands")
    })
  )

  it.live("a restart with a configuration that is wrong says so, and stops nothing", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      yield* here.configure({ agent: { kind: "telepathy" } })

      const { code, err } = yield* command(here, ["restart"])

      assert.strictEqual(code, 78)
      assert.include(err, "agent.kind")
      assert.strictEqual((yield* running.get("/livez")).status, 200)
    })
  )

  it.live("F202, F203: another home's gateway on the port of one that was killed answers for its own home alone", () =>
    Effect.gen(function* () {
      const server = net.createServer()
      const port = yield* listen(server)
      const [one, two] = [yield* place({ http: { port } }), yield* place({ http: { port } })]
      server.close()
      const killed = yield* gateway(one)
      yield* killed.kill("SIGKILL")
      yield* killed.ended
      const other = yield* gateway(two)

      const status = yield* command(one, ["status"])
      const stop = yield* command(one, ["stop"])
      const send = yield* command(one, ["send", "--to", "local:me", "for the first"])
      const { outbox } = yield* other.status

      assert.deepStrictEqual([status.code, status.out], [69, `evergate is stopped (${one.home})\n`])
      assert.deepStrictEqual([stop.code, stop.out], [0, `evergate is stopped already (${one.home})\n`])
      assert.include(send.out, `the gateway is stopped (${one.home}); kept as`)
      assert.deepStrictEqual(outbox, { pending: 0, delivered: 0, dead: 0 })
    })
  )
})
