import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import type { Check, ClockState, LifeClock } from "../../src/schedules/liveness.ts"
import { check, started, woken } from "../../src/schedules/liveness.ts"

const asking: LifeClock = {
  name: "path",
  first: Duration.seconds(15),
  every: Effect.succeed(Duration.seconds(15)),
  within: Duration.seconds(10),
  ask: Effect.void,
  heardAt: Effect.succeed(0)
}
const listening: LifeClock = { ...asking, name: "session", ask: null, within: Duration.seconds(90) }

const at = (now: number, heardAt: number) => ({ now: now * 1000, heardAt: heardAt * 1000, everyMillis: 15_000 })

/** The state that a check leaves. */
const stateOf = (verdict: Check): ClockState =>
  verdict._tag === "Dead" ? assert.fail("the link was declared dead") : verdict.state

describe("a clock that asks", () => {
  const asked = stateOf(check(asking, started(asking, 0), at(15, 0)))

  it("waits until the first question is due", () => {
    assert.strictEqual(check(asking, started(asking, 0), at(0, 0))._tag, "Wait")
    assert.strictEqual(check(asking, started(asking, 0), at(15, 0))._tag, "Ask")
  })

  it("F050: declares death when nothing came within the time of asking", () => {
    assert.deepStrictEqual(check(asking, asked, at(25, 3)), { _tag: "Dead", silenceMillis: 22_000 })
  })

  it("F051: a late answer within the grace is life", () => {
    const verdict = check(asking, asked, at(24.9, 24.8))

    assert.strictEqual(verdict._tag, "Wait")
    assert.isNull(stateOf(verdict).askedAt)
  })

  it("F054: a check that ran late asks once more before it accuses, and then accuses", () => {
    const second = check(asking, asked, at(40, 3))

    assert.strictEqual(second._tag, "Ask")
    assert.strictEqual(check(asking, stateOf(second), at(49, 3))._tag, "Wait")
    assert.strictEqual(check(asking, stateOf(second), at(50, 3))._tag, "Dead")
  })

  it("F048: after a pause it asks at once, whatever was asked before", () => {
    const probing = woken(asked, 200_000)

    const verdict = check(asking, probing, at(200, 3))

    assert.strictEqual(verdict._tag, "Ask")
    assert.strictEqual(check(asking, stateOf(verdict), at(210, 3))._tag, "Dead")
  })

  it("keeps asking while an earlier question is open, and counts from the oldest", () => {
    const slow: LifeClock = { ...asking, within: Duration.seconds(40) }
    const first = stateOf(check(slow, started(slow, 0), at(15, 0)))

    const second = check(slow, first, at(30, 0))

    assert.strictEqual(second._tag, "Ask")
    assert.strictEqual(stateOf(second).askedAt, 15_000)
    assert.strictEqual(check(slow, stateOf(second), at(55, 0))._tag, "Dead")
  })
})

describe("a clock that listens", () => {
  it("waits from the last sign of life", () => {
    assert.deepInclude(check(listening, started(listening, 0), at(50, 20)), { _tag: "Wait", untilMillis: 110_000 })
    assert.strictEqual(check(listening, started(listening, 0), at(110, 20))._tag, "Dead")
  })

  it("gives a late check a moment to read what waits", () => {
    const verdict = check(listening, started(listening, 0), at(150, 20))

    assert.strictEqual(verdict._tag, "Wait")
    assert.strictEqual(check(listening, stateOf(verdict), at(151, 20))._tag, "Dead")
  })
})
