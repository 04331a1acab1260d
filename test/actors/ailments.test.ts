import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import type { AilmentLimits } from "../../src/actors/ailments.ts"
import { defaultLimits, examine, nothingSeen } from "../../src/actors/ailments.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import * as VitalWatch from "../../src/actors/vitalWatch.ts"
import type { VitalSigns } from "../../src/actors/Vitals.ts"
import { Vitals } from "../../src/actors/Vitals.ts"

const well: VitalSigns = {
  loopDelayMillis: 1,
  loopDelayMostMillis: 1,
  fibers: 100,
  heapUsedBytes: 100,
  heapLimitBytes: 1000,
  residentBytes: 500,
  cpuSeconds: 1
}

/** What is told at each of the looks, in their order. */
const told = (looks: ReadonlyArray<Partial<VitalSigns>>, limits: AilmentLimits = defaultLimits) => {
  let memory = nothingSeen
  return looks.map((signs) => {
    const found = examine(memory, { ...well, ...signs }, limits)
    memory = found.memory
    return [...found.raised.map(({ what }) => what), ...found.cleared.map((what) => `no longer: ${what}`)]
  })
}

const late = { loopDelayMillis: 300 }
const full = { heapUsedBytes: 900 }
const few: AilmentLimits = { ...defaultLimits, fiberWindow: 2, fiberWindows: 3, fiberGrowth: 10 }
const fibers = (...counts: ReadonlyArray<number>) => counts.map((count) => ({ fibers: count }))

describe("an ailment", () => {
  it.each<readonly [string, ReadonlyArray<Partial<VitalSigns>>, ReadonlyArray<string>]>([
    ["a loop that is late three times", [late, late, late, late], ["the event loop is late"]],
    ["memory near its limit", [full, full, full], ["memory is near its limit"]],
    ["a loop that was late twice", [late, late, {}, late, late], []],
    [
      "a loop that is well again",
      [late, late, late, {}, {}, late, {}, {}, {}],
      ["the event loop is late", "no longer: the event loop is late"]
    ],
    [
      "both at once",
      [
        { ...late, ...full },
        { ...late, ...full },
        { ...late, ...full }
      ],
      ["the event loop is late", "memory is near its limit"]
    ],
    ["a process that is well", [{}, {}, {}, {}], []]
  ])("of %s is told once, and its end once", (_, looks, lines) => {
    assert.deepStrictEqual(told(looks).flat(), lines)
  })

  it.each<readonly [string, ReadonlyArray<Partial<VitalSigns>>, ReadonlyArray<string>]>([
    ["only grow", fibers(1, 1, 5, 5, 9, 9, 20, 20), ["fibers only grow"]],
    ["grow a little", fibers(1, 1, 2, 2, 3, 3, 4, 4, 5, 5), []],
    ["come in bursts", fibers(1, 900, 900, 2, 3, 900, 900, 1, 1, 900), []],
    ["fall again", fibers(1, 1, 5, 5, 9, 9, 20, 20, 1, 1), ["fibers only grow", "no longer: fibers only grow"]]
  ])("is seen where fibers that %s are counted", (_, looks, lines) => {
    assert.deepStrictEqual(told(looks, few).flat(), lines)
  })

  it.effect("is one WARN with its hint, and one line when it is over", () =>
    Effect.gen(function* () {
      const lines: Array<readonly [string, string, unknown]> = []
      const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
        lines.push([logLevel, String(message), fiber.getRef(References.CurrentLogAnnotations)["hint"]])
      })
      let signs: VitalSigns | null = { ...well, ...late }
      const vitals = { read: Effect.sync(() => signs) }
      const watching = Layer.build(Layer.provideMerge(VitalWatch.layer(), Supervision.layer))
      yield* watching.pipe(Effect.provideService(Vitals, vitals), Effect.provide(Logger.layer([logger])))

      yield* TestClock.adjust("5 minutes")
      signs = null
      yield* TestClock.adjust("1 minute")
      signs = well
      yield* TestClock.adjust("5 minutes")

      assert.deepStrictEqual(
        lines.map(([level, text]) => [level, text]),
        [
          ["Warn", "the event loop is late"],
          ["Info", "no longer: the event loop is late"]
        ]
      )
      assert.match(String(lines[0]?.[2]), /heartbeats and answers come late/)
    })
  )
})
