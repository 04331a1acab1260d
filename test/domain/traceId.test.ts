import { assert, describe, it } from "@effect/vitest"
import { rootSpanIdOf, traceIdOf } from "../../src/domain/traceId.ts"

describe("the name of a trace", () => {
  it.each([
    ["t_00000000000000000000000000", "00000000000000000000000000000000"],
    ["t_00000000000000000000000001", "00000000000000000000000000000001"],
    ["t_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ffffffffffffffffffffffffffffffff"],
    ["d_01ARZ3NDEKTSV4RRFFQ69G5FAV", "01563e3ab5d3d6764c61efb99302bd5b"]
  ])("of %s is the number that its ULID writes", (id, traceId) => {
    assert.strictEqual(traceIdOf(id), traceId)
  })

  it("of a reply is its turn's", () => {
    assert.strictEqual(traceIdOf("t_01ARZ3NDEKTSV4RRFFQ69G5FAV-3"), traceIdOf("t_01ARZ3NDEKTSV4RRFFQ69G5FAV"))
  })

  it("of what holds no ULID is one of its own, the same every time", () => {
    const [one, again, other] = ["d_morning_l0x", "d_morning_l0x", "d_morning_l0y"].map(traceIdOf)

    assert.match(one ?? "", /^[0-9a-f]{32}$/)
    assert.strictEqual(one, again)
    assert.notStrictEqual(one, other)
  })

  it("has a first span of 16 digits", () => {
    assert.strictEqual(rootSpanIdOf("01563e3ab5d3d6764c61efb99302bd5b"), "4c61efb99302bd5b")
  })
})
