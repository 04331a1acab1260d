/** Messages that come in several frames. */
import { assert, describe, it } from "@effect/vitest"
import { makeFragments } from "../../src/platforms/feishu/fragments.ts"
import type { WireFrame } from "../../src/platforms/feishu/wire.ts"

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const part = (id: string, sum: string, seq: string, payload: Uint8Array | string): WireFrame => ({
  seqId: 1,
  logId: 1,
  service: 1,
  method: 1,
  headers: Object.entries({ message_id: id, sum, seq }).map(([key, value]) => ({ key, value })),
  payload: typeof payload === "string" ? new TextEncoder().encode(payload) : payload
})

const whole = (assembled: ReturnType<ReturnType<typeof makeFragments>["add"]>) =>
  assembled._tag === "Whole" ? text(assembled.payload) : assembled._tag

describe("fragments", () => {
  it("joins them in any order, once, whatever came twice", () => {
    const fragments = makeFragments()

    const seen = [
      part("m", "3", "2", "c"),
      part("m", "3", "0", "a"),
      part("m", "3", "0", "a"),
      part("m", "3", "1", "b")
    ].map((frame) => whole(fragments.add(frame, 0)))

    assert.deepStrictEqual(seen, ["Partial", "Partial", "Partial", "abc"])
  })

  it("joins bytes before it reads them: a character may lie across two", () => {
    const fragments = makeFragments()
    const bytes = new TextEncoder().encode("喂🙂")

    fragments.add(part("m", "2", "0", bytes.subarray(0, 4)), 0)

    assert.strictEqual(whole(fragments.add(part("m", "2", "1", bytes.subarray(4)), 0)), "喂🙂")
  })

  it("keeps messages apart that come interleaved", () => {
    const fragments = makeFragments()

    fragments.add(part("m", "2", "0", "a"), 0)
    fragments.add(part("n", "2", "0", "x"), 0)

    assert.strictEqual(whole(fragments.add(part("n", "2", "1", "y"), 0)), "xy")
    assert.strictEqual(whole(fragments.add(part("m", "2", "1", "b"), 0)), "ab")
  })

  it("takes a frame without count and index for a whole message", () => {
    assert.strictEqual(whole(makeFragments().add({ ...part("m", "", "", "a"), headers: [] }, 0)), "a")
  })

  it.each([
    ["an index out of range", "2", "2"],
    ["an index below zero", "2", "-1"],
    ["a count that is none", "two", "0"],
    ["a count of nothing", "0", "0"],
    ["more than any message has", "257", "0"]
  ])("refuses %s", (_, sum, seq) => {
    assert.strictEqual(whole(makeFragments().add(part("m", sum, seq, "a"), 0)), "Unfit")
  })

  it("refuses a fragment whose count is at odds with the first one's", () => {
    const fragments = makeFragments()

    fragments.add(part("m", "2", "0", "a"), 0)

    assert.strictEqual(whole(fragments.add(part("m", "3", "1", "b"), 0)), "Unfit")
    assert.strictEqual(whole(fragments.add(part("m", "2", "1", "b"), 0)), "ab")
  })

  it("forgets what is not complete within 15 s", () => {
    const fragments = makeFragments()

    fragments.add(part("m", "2", "0", "a"), 0)

    assert.strictEqual(whole(fragments.add(part("m", "2", "1", "b"), 15_000)), "Partial")
  })

  it("holds a bounded number of messages, and forgets the oldest", () => {
    const fragments = makeFragments()

    for (let i = 0; i < 65; i++) fragments.add(part(`m${i}`, "2", "0", "a"), i)

    assert.strictEqual(whole(fragments.add(part("m64", "2", "1", "b"), 65)), "ab")
    assert.strictEqual(whole(fragments.add(part("m0", "2", "1", "b"), 65)), "Partial")
  })

  it("holds a bounded number of bytes, and forgets the oldest", () => {
    const fragments = makeFragments()
    const half = new Uint8Array(5 * 1024 * 1024)

    fragments.add(part("old", "2", "0", half), 0)
    fragments.add(part("new", "2", "0", half), 1)

    assert.strictEqual(whole(fragments.add(part("old", "2", "1", "b"), 2)), "Partial")
  })
})
