/** The tree of what lives, as `evergate top` shows it. */
import { assert, describe, it } from "@effect/vitest"
import { treeText } from "../../src/cli/top.ts"
import type { TreePart } from "../../src/http/Tree.ts"

const nothing = {
  startedAt: null,
  uptimeMs: null,
  restarts: 0,
  lastProgressAt: null,
  sinceProgressMs: null,
  overdueMs: null,
  working: null,
  waiting: null,
  parts: []
} as const

const part = (name: string, more: Partial<TreePart> = {}): TreePart => ({
  ...nothing,
  name,
  state: "running",
  startedAt: "2026-11-30T20:00:00.000Z",
  uptimeMs: 192_000,
  lastProgressAt: "2026-11-30T20:03:10.000Z",
  sinceProgressMs: 2_000,
  ...more
})

describe("evergate top", () => {
  it("indents a part under what it belongs to, and says what stands and what waits", () => {
    const tree: TreePart = {
      ...nothing,
      name: "evergate",
      state: "degraded",
      startedAt: "2026-11-30T20:00:00.000Z",
      uptimeMs: 7_200_000,
      waiting: { turns: 1, outbox: 3 },
      parts: [
        {
          ...nothing,
          name: "feishu",
          state: "backoff",
          waiting: { turns: 1, outbox: 3 },
          parts: [part("connection feishu", { restarts: 2 }), part("lanes feishu", { working: 3 })]
        },
        part("ticker", { state: "standing", sinceProgressMs: 75_000, overdueMs: 15_000 })
      ]
    }

    assert.deepStrictEqual(treeText(tree).split("\n"), [
      "PART                   STATE               UP      RESTARTS  PROGRESS    AT WORK  WAITING",
      "evergate               degraded            2h 0m   0                              turns 1, outbox 3",
      "  feishu               backoff                                                    turns 1, outbox 3",
      "    connection feishu  running             3m 12s  2         2s ago",
      "    lanes feishu       running             3m 12s  0         2s ago      3",
      "  ticker               standing, 15s late  3m 12s  0         1m 15s ago"
    ])
  })
})
