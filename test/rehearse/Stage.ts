/** One Feishu account against its far end, and the built service in a process of its own: what most scenarios play on. */
import { Effect } from "effect"
import type { FeishuPeer } from "../../src/testing/feishu/FeishuPeer.ts"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"
import { defaults } from "../../src/testing/feishu/options.ts"
import type { Gateway, LogLine } from "../service.ts"
import { feishuOf, gateway, place, until } from "../service.ts"
import * as Ledger from "./Ledger.ts"
import type { Change, Report } from "./Report.ts"
import { timeline } from "./Report.ts"

/** Feishu delivers again sooner here than it does, so that a scenario ends sooner. */
const impatient = { ackWithin: "1 second", redeliver: Array.from({ length: 300 }, () => "1 second" as const) } as const

/** The far end of an account; each account is an app of its own. */
export const peer = (appId = defaults.appId) => Peer.make({ ...impatient, appId })

/** An account with a job that speaks every second, and a gateway that is connected. */
export const stage = Effect.fnUntraced(function* (
  link: Readonly<Record<string, unknown>> = {},
  settings: Readonly<Record<string, unknown>> = {}
) {
  const far = yield* peer()
  const platforms = [{ id: "local", kind: "local" }, feishuOf(far, { link })]
  const here = yield* place({ platforms, cron: [everySecond], ...settings })
  const running = yield* gateway(here)
  const ledger = yield* Ledger.make(far)
  return { far, here, running, ledger }
})

const everySecond = { id: "clock", schedule: "* * * * * *", deliverTo: "local:me", text: "tick" }

export const connected = (running: Gateway) => running.line("connected", { platform: "feishu" })

/** Breaks every socket that is up. */
export const everyLine = (
  far: FeishuPeer,
  what: (line: Effect.Success<FeishuPeer["lines"]>[number]) => Effect.Effect<void>
) => Effect.flatMap(far.lines, (lines) => Effect.forEach(lines, what, { discard: true }))

const timeOf = (line: LogLine) => Date.parse(line.time)

/** The link's lines of one event. */
export const all = (running: Gateway, event: string, platform = "feishu") =>
  running.lines().filter((line) => line.event === event && line["platform"] === platform)

export interface Loss {
  readonly kind: string
  /** What the message has to say. */
  readonly says: string
  /** When the fault began, in Unix milliseconds, and how long it may go unnoticed. */
  readonly from: number
  readonly noticedWithin: number
}

/** Waits for the end of the link and tells how soon it was noticed. */
export const noticed = Effect.fnUntraced(function* (running: Gateway, report: Report, loss: Loss) {
  const line = yield* running.line("disconnected", { platform: "feishu" }, "40 seconds")
  const found = `${String(line["kind"])}: ${String(line["message"])}`
  yield* report.check(`the log says ${loss.kind}`, line["kind"] === loss.kind && found.includes(loss.says), found)
  yield* report.atMost("noticed", timeOf(line) - loss.from, loss.noticedWithin)
})

/** Waits for the link to be back, and tells how long after the retry that was due once the network was there. */
export const back = Effect.fnUntraced(function* (running: Gateway, report: Report, networkSince: number) {
  const isBack = ({ at, state }: Change) => state === "connected" && Date.parse(at) >= networkSince
  const changes = yield* until(
    timeline(running, "feishu"),
    ([newest]) => newest !== undefined && isBack(newest),
    "60 seconds"
  )
  const due = changes.find(({ nextAttemptAt }) => nextAttemptAt !== null)?.nextAttemptAt ?? ""
  const from = Math.max(Date.parse(due), networkSince)
  yield* report.atMost("back after the retry that was due", Date.parse(changes[0]?.at ?? "") - from, 1_000)
})

/** The clock does not depend on any link: each second has its run, and each was in time. */
export const clockWentOn = Effect.fnUntraced(function* (running: Gateway, report: Report) {
  const { json } = yield* running.get("/api/cron/clock/runs?limit=1000")
  const runs = json as ReadonlyArray<{
    readonly scheduledAt: string
    readonly decidedAt: string
    readonly outcome: string
  }>
  const times = runs.map(({ scheduledAt }) => Date.parse(scheduledAt))
  const gaps = times.slice(1).filter((time, index) => (times[index] ?? 0) - time !== 1_000)
  const late = runs.map(({ scheduledAt, decidedAt }) => Date.parse(decidedAt) - Date.parse(scheduledAt))
  const found = `${runs.length} runs, ${gaps.length} gaps, at most ${Math.max(...late)} ms late`
  yield* report.check("cron fired every second meanwhile", gaps.length === 0 && Math.max(...late) < 1_000, found)
})
