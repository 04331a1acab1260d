/** An event loop that stands, seen from outside: the process says what it was doing and ends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gateway, linesOf, place } from "../service.ts"
import { runProgram } from "../processes.ts"

const preloaded = `--import=${new URL("stalling.mjs", import.meta.url).href}`

/** A service with a watchdog of two seconds, whose event loop stands by the named means. */
const stalled = Effect.fnUntraced(function* (means: string) {
  const here = yield* place({ watchdog: { stall: "2s" } })
  const service = yield* gateway(here, { nodeArgs: [preloaded], env: { STALL: means } })
  yield* service.kill("SIGUSR2")
  const ended = yield* service.ended
  return { ...ended, lines: linesOf(ended.err) }
})

describe.concurrent("the watchdog", () => {
  it.live.each([
    ["loop", "spinning"],
    ["shadow", "naming"],
    ["regexp", "matching"]
  ])("a %s without end: 70, and the stack names %s", ([means = "", name = ""]) =>
    Effect.gen(function* () {
      const { code, lines } = yield* stalled(means)

      assert.strictEqual(code, 70)
      assert.containSubset(lines, [{ level: "FATAL", event: "the event loop stands" }])
      assert.include(String(lines[0]?.["stack"]), `at ${name} (`)
    })
  )

  it.live.each([["json"], ["sqlite"]])(
    "native code without end (%s): killed, and the line comes first",
    ([means = ""]) =>
      Effect.gen(function* () {
        const { signal, lines } = yield* stalled(means)

        assert.strictEqual(signal, "SIGKILL")
        assert.containSubset(lines, [{ level: "FATAL", event: "the event loop stands" }])
      })
  )

  it.live("a process that was stopped for longer than the stall goes on as if nothing was", () =>
    Effect.gen(function* () {
      const here = yield* place({ watchdog: { stall: "2s" } })
      const service = yield* gateway(here)
      yield* service.kill("SIGSTOP")
      yield* Effect.sleep("4 seconds")
      yield* service.kill("SIGCONT")
      yield* Effect.sleep("3 seconds")
      const { health } = yield* service.status
      const { code, err } = yield* service.stop()

      assert.strictEqual(health, "ok")
      assert.strictEqual(code, 0)
      assert.strictEqual(err, "")
    })
  )

  it.live("F088: a ticker that waits for ever: 70 and its name", () =>
    Effect.gen(function* () {
      const { code, err } = yield* runProgram(new URL("standing.ts", import.meta.url), [])

      assert.strictEqual(code, 70)
      assert.include(err, "ticker stands")
    })
  )
})
