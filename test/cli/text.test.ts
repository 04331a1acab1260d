/** What commands print: for people, and safe on their terminal whatever others have written. */
import { assert, describe, it } from "@effect/vitest"
import { summary } from "../../src/cli/status.ts"
import { counted, printable, table } from "../../src/cli/text.ts"
import type { Status } from "../../src/http/Status.ts"

describe("text for a terminal", () => {
  it.each([
    ["plain text", "plain text"],
    ["喂 🙂 é", "喂 🙂 é"],
    ["two\nlines\tand a tab", "two\nlines\tand a tab"],
    ["\u001b[31mred\u001b[0m", "\\x1b[31mred\\x1b[0m"],
    ["\u001b]0;title\u0007", "\\x1b]0;title\\x07"],
    ["back\bspace\r", "back\\x08space\\x0d"],
    ["\u009b2J", "\\x9b2J"],
    ["\u007f", "\\x7f"],
    ["sure\u202eon", "sure\\u202eon"]
  ])("%j becomes %j", (text, shown) => {
    assert.strictEqual(printable(text), shown)
  })

  it.each([
    [0, "0 jobs"],
    [1, "1 job"],
    [2, "2 jobs"]
  ])("%d of a thing are %s", (count, shown) => {
    assert.strictEqual(counted(count, "job"), shown)
  })

  it("columns are as wide as their widest cell, and no line ends in blanks", () => {
    const shown = table([
      ["JOB", "NEXT"],
      ["a-long-name", "never"],
      ["b", ""]
    ])

    assert.deepStrictEqual(shown.split("\n"), ["JOB          NEXT", "a-long-name  never", "b"])
  })

  it("a text of several lines is one row", () => {
    assert.strictEqual(table([["ID"], ["one\ntwo\tthree"]]), "ID\none\\x0atwo\\x09three")
  })
})

const status: Status = {
  version: "0.1.0",
  pid: 42,
  startedAt: "2026-11-30T20:00:00.000Z",
  uptimeMs: 90_061_000,
  health: "degraded",
  reasons: ["feishu: backoff since 2026-11-30T20:00:10.000Z"],
  platforms: [
    {
      id: "feishu",
      kind: "feishu",
      state: "backoff",
      since: "2026-11-30T20:00:10.000Z",
      attempt: 3,
      connects: 1,
      disconnects: 1,
      lastFrameAt: null,
      lastInboundAt: null,
      lastSentAt: null,
      nextAttemptAt: "2026-11-30T20:00:20.000Z",
      pathSilenceMs: null,
      sessionSilenceMs: null,
      waiting: { turns: 0, outbox: 2 },
      server: {},
      lastError: {
        kind: "Bootstrap",
        message: "it said \u001b[2J",
        hint: "try later",
        at: "2026-11-30T20:00:10.000Z"
      }
    }
  ],
  cron: {
    running: true,
    lastTickAt: null,
    jobs: [{ id: "morning", schedule: "@daily", timezone: "UTC", deliverTo: "feishu:oc_1", next: null, last: null }]
  },
  inbox: { accepted: 3, duplicates: 1, refused: 0, unprocessed: 0 },
  outbox: { pending: 2, delivered: 1, dead: 0 },
  store: { ok: true, url: "sqlite:evergate.db", bytes: 2_049, lastError: null },
  config: { source: "/etc/evergate.yaml", loadedAt: "2026-11-30T20:00:00.000Z", restartNeeded: [], error: null },
  sessions: { active: 0 },
  process: null
}

describe("the summary of a status", () => {
  it("says first how the gateway is, then why, then which platform waits for what", () => {
    const lines = summary(status).split("\n")

    assert.deepStrictEqual(lines.slice(0, 6), [
      "evergate 0.1.0, pid 42, up 1d 1h: degraded",
      "  ! feishu: backoff since 2026-11-30T20:00:10.000Z",
      "platforms",
      "  feishu (feishu)  backoff, attempt 3, next 2026-11-30T20:00:20.000Z",
      "      Bootstrap: it said \\x1b[2J",
      "      try later"
    ])
    assert.include(lines, "store     sqlite:evergate.db, 3 KiB")
    assert.include(lines, "  morning  next never, last none")
  })

  it("of a link that is up or stopped it says since when; of one that is down the reason does", () => {
    const shown = (state: "connecting" | "connected" | "stopped") =>
      summary({ ...status, platforms: status.platforms.map((link) => ({ ...link, state })) }).split("\n")[3]

    assert.strictEqual(shown("connected"), "  feishu (feishu)  connected since 2026-11-30T20:00:10.000Z")
    assert.strictEqual(shown("stopped"), "  feishu (feishu)  stopped since 2026-11-30T20:00:10.000Z")
    assert.strictEqual(shown("connecting"), "  feishu (feishu)  connecting, attempt 3")
  })

  it("a link that is up again shows no old error", () => {
    const platforms = status.platforms.map((link) => ({ ...link, state: "connected" as const }))

    assert.notInclude(summary({ ...status, platforms }), "Bootstrap")
  })

  it.each([
    [0, "up 0s:"],
    [61_000, "up 1m 1s:"],
    [3_600_000, "up 1h 0m:"]
  ])("%d ms are %s", (uptimeMs, text) => {
    assert.include(summary({ ...status, uptimeMs }), text)
  })
})
