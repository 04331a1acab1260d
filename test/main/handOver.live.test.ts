/** Started by a Node that is too old: the pinned one takes over, and from outside it is one process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { Running } from "../processes.ts"
import { command, gateway, gatewayOf, lineOf, linesOf, place, start } from "../service.ts"

/** The machine's own Node, where there is one and it is older than 24. */
const old = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .find((file) => existsSync(file) && Number(/^v(\d+)/.exec(execFileSync(file, ["--version"]).toString())?.[1]) < 24)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The gateway of the pinned Node, behind the old one that was started. */
const behind = Effect.fnUntraced(function* (running: Running) {
  const { url } = yield* lineOf(running, "ready", {})
  const { pid } = yield* gatewayOf(running, String(url)).status
  return pid
})

describe.skipIf(old === undefined)(`by an old Node (${old ?? "skipped: this machine has none on its PATH"})`, () => {
  const options = old === undefined ? {} : { node: old }

  it.live("runs in a process of the pinned Node; a signal passes, and its end is the end of both", () =>
    Effect.gen(function* () {
      const running = yield* start(yield* place(), ["run"], options)
      const pid = yield* behind(running)

      yield* running.kill("SIGTERM")
      const { code, out } = yield* running.ended

      assert.notStrictEqual(pid, running.pid)
      assert.strictEqual(code, 0)
      assert.containSubset(linesOf(out).slice(-1), [{ event: "stopped", status: 0 }])
      assert.isFalse(isAlive(pid))
    })
  )

  it.live("kill -9 of the process that was started stops the one behind it like SIGTERM, and frees the home", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* start(here, ["run"], options)
      yield* behind(running)

      yield* running.kill("SIGKILL")
      // Its output ends when the process behind has ended, too.
      const { out } = yield* running.ended
      const next = yield* gateway(here)
      const { code } = yield* next.stop()

      assert.containSubset(linesOf(out).slice(-1), [{ event: "stopped", status: 0 }])
      // The lock was released; there was none to be taken over.
      assert.deepStrictEqual([code, linesOf(next.out()).filter(({ level }) => level === "WARN")], [0, []])
    })
  )

  it.live("statuses pass", () =>
    Effect.gen(function* () {
      const here = yield* place()

      const ends = yield* Effect.all([command(here, ["status"], options), command(here, ["--frobnicate"], options)])

      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        [69, 64]
      )
    })
  )

  it.live.each(["EVERGATE_MANAGER", "INVOCATION_ID", "NOTIFY_SOCKET"])(
    "under a service manager (%s) is refused with 78",
    (name) =>
      Effect.gen(function* () {
        const { code, err } = yield* command(yield* place(), ["run"], { ...options, env: { [name]: "systemd" } })

        assert.strictEqual(code, 78)
        assert.match(
          err,
          /^evergate needs Node 24 or later; this is \d+\.\d+\.\d+, and a service manager must start the right one itself/
        )
      })
  )
})
