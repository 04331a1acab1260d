/** What the doctor makes of what the store keeps, as tables. */
import { assert, describe, it } from "@effect/vitest"
import { PlatformId } from "../../src/domain/Address.ts"
import type { Job, Run } from "../../src/domain/Job.ts"
import { JobId } from "../../src/domain/Job.ts"
import type { LinkChange } from "../../src/domain/LinkState.ts"
import { examineJobs } from "../../src/doctor/jobs.ts"
import { examineLinks, examineOutbox } from "../../src/doctor/kept.ts"
import type { Overview } from "../../src/store/overview.ts"

const now = Date.parse("2026-11-30T20:00:00.000Z")
const hour = 3_600_000

const job = (more: Partial<Job> = {}): Job => ({
  id: JobId.make("morning"),
  schedule: "0 9 * * *",
  timezone: "UTC",
  deliverTo: { platform: PlatformId.make("feishu"), chat: "oc_1", thread: null },
  action: { _tag: "Text", text: "good morning" },
  misfire: { policy: "once", withinMillis: hour },
  overlap: "skip",
  source: "file",
  createdAt: now - 90 * 24 * hour,
  ...more
})

const nine = now - 11 * hour

const run = (more: Partial<Run> = {}): Run => ({
  job: JobId.make("morning"),
  scheduledAt: nine,
  decidedAt: nine,
  outcome: "ok",
  reason: null,
  endedAt: nine,
  delivery: "delivered",
  ...more
})

const kept = (job: Job, ...runs: ReadonlyArray<Run>): Overview["jobs"] => [
  { stored: { job, lastScheduledAt: runs[0]?.scheduledAt ?? null, last: runs[0] ?? null }, runs }
]

const present = { now, platforms: ["feishu"], isRunning: true }
const skipped = { outcome: "skipped", reason: "missed by 3h" } as const

describe("a job", () => {
  it.each([
    ["in order, with what is next", kept(job(), run()), "ok", /1 of 1 jobs in order; next morning at 2026-12-01T09:00/],
    [
      "whose platform is gone",
      kept(job({ deliverTo: { platform: PlatformId.make("old"), chat: "c", thread: null } }), run()),
      "fail",
      /never arrives/
    ],
    ["that was due and was not decided", kept(job(), run({ scheduledAt: nine - 24 * hour })), "fail", /does not fire/],
    [
      "that has only ever been skipped",
      kept(job(), run(skipped), run(skipped), run(skipped)),
      "fail",
      /never fires.*missed by 3h/
    ],
    ["that was skipped twice", kept(job(), run(skipped), run(skipped), run()), "ok", /in order/],
    [
      "whose only instant had passed",
      kept(job({ schedule: "2020-01-01T00:00:00Z" })),
      "fail",
      /never fires: nothing is due/
    ],
    ["that has had its one run", kept(job({ schedule: "2026-11-30T09:00:00Z" }), run()), "ok", /1 of 1 jobs in order$/],
    ["whose schedule nobody understands", kept(job({ schedule: "0 9 * * L" })), "fail", /extension/],
    ["whose turn failed", kept(job(), run({ outcome: "failed", reason: "the agent hung" })), "warn", /the agent hung/],
    ["whose words were not delivered", kept(job(), run({ delivery: "dead" })), "warn", /not delivered/]
  ] as const)("%s", (_, jobs, state, seen) => {
    const [finding] = examineJobs(jobs, present)

    assert.strictEqual(finding?.state, state)
    assert.match(finding?.seen ?? "", seen)
  })

  it("that was missed while nobody ran is a warning: the start decides it", () => {
    const missed = kept(job(), run({ scheduledAt: nine - 24 * hour }))

    const [finding] = examineJobs(missed, { ...present, isRunning: false })

    assert.containSubset(finding, { state: "warn", remedy: "evergate start (decides it by the job's misfire)" })
  })
})

const change = (state: LinkChange["state"], at: number, kind: string | null): LinkChange => ({
  at,
  state,
  kind,
  message: kind,
  attempt: 1,
  nextAttemptAt: null
})

describe("a link that nobody runs", () => {
  it.each([
    ["failed last", [change("backoff", now - hour, "Tls")], "warn"],
    ["failed and came back", [change("connected", now - 1, null), change("backoff", now - hour, "Tls")], "ok"],
    ["failed long ago", [change("backoff", now - 48 * hour, "Tls")], undefined],
    ["never failed", [change("connected", now - hour, null)], undefined]
  ] as const)("%s", (_, changes, state) => {
    const findings = examineLinks(["feishu"], new Map([["feishu", changes]]), null, now)

    assert.strictEqual(findings[0]?.state, state)
  })
})

describe("what waits to be said", () => {
  const overview = (count: number, oldestAt: number | null): Overview => ({
    jobs: [],
    dead: { count: 0, newest: [] },
    pending: { count, oldestAt },
    timelines: new Map(),
    proved: new Map()
  })

  it.each([
    [0, null, "ok"],
    [3, now - 1_000, "ok"],
    [3, now - hour, "warn"]
  ] as const)("%d messages, the oldest since %d: %s", (count, oldestAt, state) => {
    assert.strictEqual(examineOutbox(overview(count, oldestAt), now)[0]?.state, state)
  })
})
