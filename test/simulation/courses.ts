/** Seeds as tests: each is a course of events of six virtual hours, in which every law has to hold. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Simulation from "../../src/testing/Simulation.ts"

/** Of virtual time, a seed. */
const hours = 6
/** A machine that is busy with other things takes its time. */
const timeout = 60_000

/** Runs the seeds, and at the end says how often each fault came; one that never came has shown nothing. */
export const courses = (name: string, seeds: ReadonlyArray<number>): void => {
  const came = new Map<string, number>()

  describe(name, () => {
    it.effect.each(seeds)(
      "seed %i: every law holds for six hours of faults",
      (seed) =>
        Effect.gen(function* () {
          const report = yield* Simulation.run({ seed, hours })

          for (const [fault, times] of report.faults) came.set(fault, (came.get(fault) ?? 0) + times)
          assert.isNull(report.broken, Simulation.explain(report))
        }),
      timeout
    )

    it("saw every fault", () => {
      const counts = Simulation.faults.map((fault) => [fault, came.get(fault) ?? 0] as const)
      process.stdout.write(`${name}: ${counts.map(([fault, times]) => `${times} ${fault}`).join(", ")}\n`)

      const unseen = counts.filter(([, times]) => times === 0).map(([fault]) => fault)

      assert.deepStrictEqual(unseen, [])
    })
  })
}

/** 25 seeds: even ones, or odd ones. */
export const half = (first: 0 | 1): ReadonlyArray<number> => Array.from({ length: 25 }, (_, index) => first + 2 * index)
