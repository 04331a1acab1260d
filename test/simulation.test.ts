/** The simulation itself: one seed is one course of events, and a failure says how to see it again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Simulation from "../src/testing/Simulation.ts"
import { plants } from "./simulation/plants.ts"

const hours = 1

describe("a simulation", () => {
  it.effect.each([2, 3])("seed %i is the same course of events each time", (seed) =>
    Effect.gen(function* () {
      const once = yield* Simulation.run({ seed, hours })
      const again = yield* Simulation.run({ seed, hours })

      assert.deepStrictEqual(again, once)
      assert.isAbove(once.messages, 10)
    })
  )

  it.effect("another seed is another course", () =>
    Effect.gen(function* () {
      const one = yield* Simulation.run({ seed: 4, hours })
      const other = yield* Simulation.run({ seed: 6, hours })

      assert.notStrictEqual(other.fingerprint, one.fingerprint)
    })
  )

  it.effect("a course that breaks a law names the law, the seed, the last steps, and how to replay it", () =>
    Effect.gen(function* () {
      const [{ alteration, law } = assert.fail("no plant")] = plants

      const told = Simulation.explain(yield* Simulation.run({ seed: 7, hours, alteration }))

      assert.include(told, `seed 7 broke the law "${law}"`)
      assert.match(told, /message 1 in platform-\d:chat-\d+/)
      assert.include(told, `npm run simulate -- --seed 7 --days ${hours / 24}`)
    })
  )
})
