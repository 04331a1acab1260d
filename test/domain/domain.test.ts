import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Random } from "effect"
import { TestClock } from "effect/testing"
import { judge } from "../../src/domain/access.ts"
import * as Address from "../../src/domain/Address.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import type { MessageArrived } from "../../src/domain/Inbound.ts"
import { keyOf } from "../../src/domain/Session.ts"
import { split } from "../../src/domain/split.ts"
import { makeTurnId } from "../../src/domain/Turn.ts"

const message = (over: Partial<MessageArrived> = {}): MessageArrived => ({
  _tag: "MessageArrived",
  platform: PlatformId.make("fake"),
  eventId: "e1",
  messageId: "m1",
  revision: 0,
  chat: { id: "c1", type: "direct" },
  thread: null,
  sender: { id: "u1", name: null, kind: "person" },
  text: "hi",
  attachments: [],
  mentioned: false,
  replyTo: null,
  sentAt: 0,
  ...over
})

describe("Address", () => {
  it.each([
    ["feishu:oc_5ad1", { platform: "feishu", chat: "oc_5ad1", thread: null }],
    ["slack:C024:1712.0001", { platform: "slack", chat: "C024", thread: "1712.0001" }],
    ["matrix:!room%3Ahome%25x", { platform: "matrix", chat: "!room:home%x", thread: null }]
  ])("reads and prints %s", (text, address) => {
    const parsed = Address.parse(text)

    assert.deepStrictEqual(Option.getOrThrow(parsed), { ...address, platform: PlatformId.make(address.platform) })
    assert.strictEqual(Address.format(Option.getOrThrow(parsed)), text)
  })

  it.each(["", "feishu", "feishu:", ":chat", "a:b:c:d", "a:b:", "-x:y", "ä:b"])("refuses %j", (text) => {
    assert.isTrue(Option.isNone(Address.parse(text)))
  })
})

describe("access", () => {
  const open = { direct: "open", group: "mention", allow: [], deny: [] } as const
  const group = { chat: { id: "g1", type: "group" } } as const

  it.each([
    ["a direct message is heard", message(), open, null],
    ["deny goes before allow", message(), { ...open, allow: ["u1"], deny: ["u1"] }, "sender is on deny"],
    ["a stranger under allowlist", message(), { ...open, direct: "allowlist" as const }, "sender is not on allow"],
    ["a known sender under allowlist", message(), { ...open, direct: "allowlist" as const, allow: ["u1"] }, null],
    [
      "F235: a stranger who took the name of a known sender",
      message({ sender: { id: "u9", name: "u1", kind: "person" } }),
      { ...open, direct: "allowlist" as const, allow: ["u1"] },
      "sender is not on allow"
    ],
    [
      "F236: an asterisk on allow is an id like any other",
      message(),
      { ...open, direct: "allowlist" as const, allow: ["*"] },
      "sender is not on allow"
    ],
    ["a group without mention", message(group), open, "bot not mentioned"],
    ["a group with mention", message({ ...group, mentioned: true }), open, null],
    ["all of a group", message(group), { ...open, group: "all" as const }, null],
    ["groups off", message({ ...group, mentioned: true }), { ...open, group: "off" as const }, "groups are off"],
    [
      "a group of strangers under allowlist",
      message({ ...group, mentioned: true }),
      { ...open, direct: "allowlist" as const },
      "sender is not on allow"
    ],
    ["F238: another bot", message({ sender: { id: "b", name: null, kind: "bot" } }), open, "message of a bot"],
    ["F238: ourselves", message({ sender: { id: "b", name: null, kind: "self" } }), open, "own message"],
    ["F127: an edit is not a new turn", message({ revision: 1 }), open, "edited message"]
  ])("%s", (_, event, access, reason) => {
    const verdict = judge(event, access)

    assert.strictEqual(verdict._tag === "Refused" ? verdict.reason : null, reason)
  })
})

describe("session keys", () => {
  it.each([
    ["chat", "fake:c1"],
    ["user", "fake:c1/u1"],
    ["thread", "fake:c1:t1"]
  ] as const)("by %s", (scope, key) => {
    assert.strictEqual(keyOf(message({ thread: "t1" }), scope) as string, key)
  })
})

describe("split", () => {
  it.each([
    ["a short text stays whole", "abc", 10, ["abc"]],
    ["at a blank line before a line's end", "aaaa\n\nbbb\nccc", 12, ["aaaa\n\n", "bbb\nccc"]],
    ["at a space", "hello there world", 12, ["hello there ", "world"]],
    ["inside a word that has no end", "a".repeat(7), 3, ["aaa", "aaa", "a"]]
  ])("%s", (_, text, limit, pieces) => {
    assert.deepStrictEqual(split(text, limit), pieces)
  })

  it("F172: never cuts a surrogate pair, and the pieces are the text", () => {
    const text = `a${"🙂".repeat(4096)}`

    const pieces = split(text, 4096)

    assert.strictEqual(pieces.join(""), text)
    for (const piece of pieces) {
      assert.isAtMost(piece.length, 4096)
      assert.isTrue(piece.isWellFormed())
    }
  })

  it.each([0, 1, 2])("F173: makes progress at a limit of %i", (limit) => {
    const pieces = split("```\n🙂", limit)

    assert.strictEqual(pieces.join(""), "```\n🙂")
    assert.isAtMost(pieces.length, 6)
  })
})

describe("turn ids", () => {
  it.effect("sort by time and differ within it", () =>
    Effect.gen(function* () {
      const first = yield* makeTurnId
      const second = yield* makeTurnId
      yield* TestClock.adjust("1 second")
      const third = yield* makeTurnId

      assert.notStrictEqual(first, second)
      assert.isTrue(third > first && third > second)
      assert.match(first, /^t_[0-9A-HJKMNP-TV-Z]{26}$/)
    }).pipe(Random.withSeed("turns"))
  )
})
