/** What speaks against `ok`, and what makes it `down`. */
import { assert, describe, it } from "@effect/vitest"
import type { Part } from "../../src/actors/Part.ts"
import type { LinkReport } from "../../src/actors/LinkReport.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { initial } from "../../src/domain/LinkState.ts"
import type { Health } from "../../src/http/health.ts"
import { judge } from "../../src/http/health.ts"
import type { StoreHealth } from "../../src/store/Database.ts"

const link = (id: string, report: Partial<LinkReport> = {}): LinkReport => ({
  ...initial(PlatformId.make(id), "feishu", 0),
  auxiliary: false,
  lastFrameAt: null,
  lastInboundAt: null,
  lastSentAt: null,
  pathSilenceMillis: null,
  sessionSilenceMillis: null,
  server: {},
  ...report
})
const up = link("up", { state: "connected" })
const away = link("away", { state: "backoff" })
const failed = link("failed", { state: "failed" })
const stopped = link("stopped", { state: "stopped" })
const chat = link("local", { auxiliary: true, state: "connecting" })

const part = (name: string, overdueMillis: number | null): Part => ({
  name,
  platform: null,
  startedAt: 0,
  restarts: 0,
  progressAt: 0,
  working: null,
  overdueMillis
})
const well: StoreHealth = { ok: true, url: "sqlite:evergate.db", bytes: 1, lastError: null }

type Case = readonly [
  name: string,
  links: ReadonlyArray<LinkReport>,
  parts: ReadonlyArray<Part>,
  store: StoreHealth,
  health: Health,
  reasons: ReadonlyArray<string>
]

const since = "since 1970-01-01T00:00:00.000Z"

describe("health", () => {
  it.each<Case>([
    ["all connected", [up], [part("ticker", null)], well, "ok", []],
    ["no platform but the local chat", [chat], [], well, "ok", []],
    ["one that was stopped by hand does not count", [up, stopped], [], well, "ok", []],
    ["only stopped ones", [stopped], [], well, "ok", []],
    ["one of two away", [up, away], [], well, "degraded", [`away: backoff ${since}`]],
    [
      "one that tries again is away since it went down, not since its last attempt",
      [up, link("away", { state: "backoff", since: 90_000, downSince: 0 })],
      [],
      well,
      "degraded",
      [`away: backoff ${since}`]
    ],
    [
      "F222: one that needs a person, while another is up",
      [up, failed],
      [],
      well,
      "degraded",
      [`failed: failed ${since}`]
    ],
    ["F220: all away", [away, failed, chat], [], well, "down", [`away: backoff ${since}`, `failed: failed ${since}`]],
    [
      "F220: a lane stands, while its link is up",
      [up],
      [part("lane feishu", 1)],
      well,
      "degraded",
      ["lane feishu: no progress"]
    ],
    ["F088: the ticker stands", [up], [part("ticker", 1)], well, "down", ["ticker: no progress"]],
    ["the store failed once", [up], [], { ...well, lastError: "locked" }, "degraded", ["store: locked"]],
    ["the store takes no writes", [up], [], { ...well, ok: false, lastError: "full" }, "down", ["store: full"]]
  ])("%s", (_, links, parts, store, health, reasons) => {
    assert.deepStrictEqual(judge({ links, parts, store, isStopping: false }), { health, reasons })
  })

  it("a stop in progress is a reason, and the first one", () => {
    const stopping = (links: ReadonlyArray<LinkReport>) => judge({ links, parts: [], store: well, isStopping: true })

    assert.deepStrictEqual(stopping([up]), { health: "degraded", reasons: ["stopping"] })
    assert.deepStrictEqual(stopping([away]), { health: "down", reasons: ["stopping", `away: backoff ${since}`] })
  })
})
