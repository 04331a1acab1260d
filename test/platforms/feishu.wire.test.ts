/** Frames as bytes. */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as wire from "../../src/platforms/feishu/wire.ts"

const decoded = (bytes: Uint8Array) => Option.getOrThrow(wire.decode(bytes))
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

const event: wire.WireFrame = {
  seqId: "18446744073709551615",
  logId: "9007199254740993",
  service: 33_554_678,
  method: wire.method.data,
  headers: [
    { key: "type", value: "event" },
    { key: "message_id", value: "m-1" },
    { key: "instance_id", value: "here" }
  ],
  payloadEncoding: "none",
  payloadType: "json",
  payload: new TextEncoder().encode("{}"),
  logIdNew: "log"
}

describe("wire", () => {
  it("writes a ping as Feishu's own clients do, zeros included", () => {
    const bytes = wire.encode(wire.ping(33_554_678))

    assert.strictEqual(Buffer.from(bytes).toString("hex"), "0800100018f681801020002a0c0a0474797065120470696e67")
  })

  it("keeps 64-bit ids exact, also beyond what a double can hold", () => {
    const frame = decoded(wire.encode(event))

    assert.strictEqual(String(frame.seqId), "18446744073709551615")
    assert.strictEqual(String(frame.logId), "9007199254740993")
  })

  it("acknowledges with the frame itself: ids, header order and all, and a positive time", () => {
    const ack = decoded(wire.encode(wire.acknowledge(decoded(wire.encode(event)), 0.2)))

    assert.deepStrictEqual(
      { ...ack, seqId: String(ack.seqId), logId: String(ack.logId), payload: new TextDecoder().decode(ack.payload) },
      { ...event, headers: [...event.headers, { key: "biz_rt", value: "1" }], payload: '{"code":200}' }
    )
  })

  it("reads over fields that it does not know", () => {
    const bytes = Buffer.concat([wire.encode(event), bytesOf("5203616263")])

    assert.strictEqual(wire.header(decoded(bytes), "message_id"), "m-1")
  })

  it.each([
    ["nothing", ""],
    ["text", Buffer.from("hello").toString("hex")],
    ["a field that has to be there is missing", "080010001801"],
    ["a length beyond the end", "08001000180020004a7f61"],
    ["a group that never ends", "0800100018002000530b0b0b"],
    ["an id that never ends", "08ffffffffffffffffffffffff"]
  ])("finds no frame in %s", (_, hex) => {
    assert.isTrue(Option.isNone(wire.decode(bytesOf(hex))))
  })

  it("finds no frame in a frame cut anywhere before its required fields, and never throws", () => {
    const bytes = wire.encode(event)

    const found = Array.from(bytes, (_, length) => Option.isSome(wire.decode(bytes.subarray(0, length))))

    assert.isFalse(found.slice(0, 20).some(Boolean))
  })

  it("finds no frame in one with more headers than any has", () => {
    const headers = Array.from({ length: 65 }, () => ({ key: "k", value: "v" }))

    assert.isTrue(Option.isNone(wire.decode(wire.encode({ ...event, headers }))))
  })
})
