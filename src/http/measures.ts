/** What is counted anyway, as Prometheus wants it: from the status, the links and the parts. Pure. */
import type { LinkReport } from "../actors/LinkReport.ts"
import type { Part } from "../actors/Part.ts"
import type { VitalSigns } from "../actors/Vitals.ts"
import type { Status } from "./Status.ts"

export interface Measure {
  /** Without the prefix. */
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  readonly series: ReadonlyArray<Series>
}

interface Series {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
}

export interface Sources {
  /** Unix milliseconds. */
  readonly now: number
  readonly status: Status
  readonly links: ReadonlyArray<LinkReport>
  readonly parts: ReadonlyArray<Part>
  /** Null where nobody measures. */
  readonly vitals: VitalSigns | null
}

export const measures = (sources: Sources): ReadonlyArray<Measure> => [
  ...ofProcess(sources),
  ...ofLinks(sources),
  ...ofMessages(sources.status),
  ...ofCron(sources.status),
  ...ofVitals(sources.vitals)
]

const gauge = (name: string, help: string, ...series: ReadonlyArray<Series>): Measure => ({
  name,
  help,
  type: "gauge",
  series
})
const counter = (name: string, help: string, ...series: ReadonlyArray<Series>): Measure => ({
  name,
  help,
  type: "counter",
  series
})

const flag = (is: boolean): number => (is ? 1 : 0)
/** One series a word, 1 where it is so. */
const oneOf = (label: string, words: ReadonlyArray<string>, word: string, labels = {}): ReadonlyArray<Series> =>
  words.map((each) => ({ value: flag(each === word), labels: { ...labels, [label]: each } }))
const secondsOf = (instant: string): number => Date.parse(instant) / 1000

const ofProcess = ({ status, parts }: Sources): ReadonlyArray<Measure> => [
  gauge("build_info", "The version that runs", { value: 1, labels: { version: status.version } }),
  gauge("start_time_seconds", "When the process began", { value: secondsOf(status.startedAt) }),
  gauge(
    "health",
    "Whether the gateway is ok, degraded or down",
    ...oneOf("health", ["ok", "degraded", "down"], status.health)
  ),
  gauge("config_error", "The configuration that was read last is not the one that runs", {
    value: flag(status.config.error !== null)
  }),
  gauge("store_ok", "The store takes writes", { value: flag(status.store.ok) }),
  gauge("store_bytes", "The size of the database", { value: status.store.bytes }),
  gauge(
    "part_overdue_seconds",
    "By how much a long-lived part missed its own deadline; 0 where it did not",
    ...parts.map(({ name, overdueMillis }) => ({ value: (overdueMillis ?? 0) / 1000, labels: { part: name } }))
  ),
  counter(
    "part_restarts_total",
    "How often a long-lived part crashed and was started again",
    ...parts.map(({ name, restarts }) => ({ value: restarts, labels: { part: name } }))
  )
]

const states = ["connecting", "connected", "backoff", "failed", "stopped"] as const

/** In outages that are over, and in the one that is not. */
const deafMillis = ({ deafMillis, downSince, state }: LinkReport, now: number): number =>
  deafMillis + (downSince === null || state === "stopped" ? 0 : Math.max(0, now - downSince))

const ofLinks = ({ links, now }: Sources): ReadonlyArray<Measure> => {
  const series = (value: (link: LinkReport) => number) =>
    links.map((link) => ({ value: value(link), labels: { platform: link.id } }))
  const silences = links.flatMap(({ id, pathSilenceMillis, sessionSilenceMillis }) =>
    Object.entries({ path: pathSilenceMillis, session: sessionSilenceMillis }).flatMap(([clock, millis]) =>
      millis === null ? [] : [{ value: millis / 1000, labels: { platform: id, clock } }]
    )
  )
  return [
    gauge(
      "link_state",
      "1 for the state that a platform's link is in",
      ...links.flatMap(({ id, kind, state }) => oneOf("state", states, state, { platform: id, kind }))
    ),
    counter(
      "link_deaf_seconds_total",
      "Time that a platform was not connected, from the process's start; stopped by hand is not deaf",
      ...links
        .filter(({ auxiliary }) => !auxiliary)
        .map((link) => ({ value: deafMillis(link, now) / 1000, labels: { platform: link.id } }))
    ),
    counter("link_connects_total", "How often a link came up", ...series(({ connects }) => connects)),
    counter(
      "link_disconnects_total",
      "How often a link that was up was lost",
      ...series(({ disconnects }) => disconnects)
    ),
    gauge("link_attempt", "Attempts since the link was last up", ...series(({ attempt }) => attempt)),
    gauge("link_silence_seconds", "Time since the last sign of life on each clock of a link that is up", ...silences)
  ]
}

const ofMessages = ({ inbox, outbox, platforms, sessions }: Status): ReadonlyArray<Measure> => [
  counter("inbox_accepted_total", "Messages that were stored", { value: inbox.accepted }),
  counter("inbox_duplicates_total", "Messages that came again, and were dropped", { value: inbox.duplicates }),
  counter("inbox_refused_total", "Messages that were not heard: access, mention, limits, its own", {
    value: inbox.refused
  }),
  gauge(
    "inbox_unprocessed",
    "Messages whose turn has not ended",
    ...platforms.map(({ id, waiting }) => ({ value: waiting.turns, labels: { platform: id } }))
  ),
  gauge(
    "outbox_pending",
    "Messages that are still to be delivered",
    ...platforms.map(({ id, waiting }) => ({ value: waiting.outbox, labels: { platform: id } }))
  ),
  gauge(
    "outbox_messages",
    "Messages in the outbox, until they are pruned",
    ...(["pending", "delivered", "dead"] as const).map((state) => ({ value: outbox[state], labels: { state } }))
  ),
  gauge("sessions_active", "Sessions that are at work", { value: sessions.active })
]

const ofCron = ({ cron: { jobs, lastTickAt, running } }: Status): ReadonlyArray<Measure> => [
  gauge("cron_running", "The ticker runs", { value: flag(running) }),
  gauge(
    "cron_last_tick_timestamp_seconds",
    "When the ticker last looked",
    ...(lastTickAt === null ? [] : [{ value: secondsOf(lastTickAt) }])
  ),
  gauge(
    "cron_job_failed",
    "1 where the last run of a job failed, or what it said is a dead letter",
    ...jobs.map(({ id, last }) => ({
      value: flag(last !== null && (last.outcome === "failed" || last.delivery === "dead")),
      labels: { job: id }
    }))
  )
]

const ofVitals = (vitals: VitalSigns | null): ReadonlyArray<Measure> =>
  vitals === null
    ? []
    : [
        gauge("event_loop_delay_seconds", "How late the event loop was, at the 99th percentile of ten seconds", {
          value: vitals.loopDelayMillis / 1000
        }),
        gauge("event_loop_delay_max_seconds", "The worst of five minutes", {
          value: vitals.loopDelayMostMillis / 1000
        }),
        gauge("fibers", "Fibers that live", { value: vitals.fibers }),
        gauge("heap_used_bytes", "Memory of JavaScript in use", { value: vitals.heapUsedBytes }),
        gauge("heap_limit_bytes", "What the process may use of it", { value: vitals.heapLimitBytes }),
        gauge("resident_memory_bytes", "Memory of the process", { value: vitals.residentBytes }),
        counter("cpu_seconds_total", "Time of the processor that was used", { value: vitals.cpuSeconds })
      ]
