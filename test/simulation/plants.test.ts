/** A simulation is worth what it finds: ten bugs are planted, and each is found within a few seeds, by its own law. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Simulation from "../../src/testing/Simulation.ts"
import { plants } from "./plants.ts"

const mostSeeds = 8
const hours = 6
const timeout = 60_000

describe("a planted bug", () => {
  it.effect.each(plants)(
    "$name: is found",
    ({ alteration, law }) =>
      Effect.gen(function* () {
        const broken: Array<string> = []

        for (let seed = 0; seed < mostSeeds && !broken.includes(law); seed++) {
          const report = yield* Simulation.run({ seed, hours, alteration })
          broken.push(report.broken?.law ?? "none")
        }

        assert.include(broken, law)
      }),
    timeout
  )
})
