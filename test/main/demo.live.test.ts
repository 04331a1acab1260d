/** The demonstration: what is done to the links, what comes of it, and that no message is lost or answered twice. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Chaos from "../../src/testing/chaos.ts"
import { ask } from "../asking.ts"
import { environment, gateway, gatewayOf, lineOf, place, program, until } from "../service.ts"
import { startProgram } from "../processes.ts"

const inAHurry = {
  heartbeat: { interval: "400ms", timeout: "800ms" },
  connectTimeout: "2s",
  retry: { max: "500ms" }
}

describe.concurrent("evergate demo --chaos", () => {
  it.live("breaks links by its script, and every message is answered once", () =>
    Effect.gen(function* () {
      const { folder } = yield* place()
      const env = environment(folder, { EVERGATE_HOME: folder })
      const running = yield* startProgram(program, ["demo", "--chaos"], { cwd: folder, env })
      const { url } = yield* lineOf(running, "ready", {})
      const demo = gatewayOf(running, String(url))
      const ledger = Effect.map(ask(`${demo.url}/api/demo`), ({ json }) => json as Chaos.Ledger)
      const { faults } = yield* until(
        ledger,
        ({ faults }) => faults.some(({ backAt }) => backAt !== null),
        "40 seconds"
      )
      const { answered } = yield* until(ledger, ({ answered }) => answered > 20)
      const { code } = yield* demo.stop()

      assert.isAtLeast(faults.length, 1)
      assert.isAtLeast(answered, 20)
      assert.strictEqual(code, 0)
    })
  )

  it.live(
    "its whole script, in a hurry: each fault is recovered from, nothing is lost and nothing answered twice",
    () =>
      Effect.gen(function* () {
        const chaos = yield* Chaos.make({
          ...Chaos.calm,
          peace: Duration.millis(500),
          hold: Duration.seconds(1),
          pause: Duration.millis(100),
          patience: Duration.seconds(12)
        })
        const here = yield* place({ platforms: chaos.platforms.map((platform) => ({ ...platform, link: inAHurry })) })
        const running = yield* gateway(here)
        yield* Effect.forkScoped(chaos.storm)
        const told = new Set<string>()
        const seen = Effect.map(chaos.ledger, (ledger) => {
          for (const { backAt, what } of ledger.faults) if (backAt !== null) told.add(what)
          return ledger
        })
        yield* until(seen, () => told.size === 5, "60 seconds")
        const { lost, twice } = yield* chaos.ledger
        yield* running.stop()

        assert.deepStrictEqual([lost, twice], [0, 0])
      }),
    { timeout: 90_000 }
  )
})
