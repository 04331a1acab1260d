/**
 * What is measured where it happens, because nobody keeps it: how long things take, and how links fail. What a service
 * counts anyway is read at the scrape instead (`http/metrics.ts`). A series is made once, of a platform or a link, so that
 * a message on its way costs one update.
 */
import { Metric } from "effect"
import type { PlatformId } from "../domain/Address.ts"

/** Seconds. */
const short = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const long = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/** Of the link that took the message. */
export const ackLatency = (platform: PlatformId) =>
  Metric.histogram("evergate_ack_latency_seconds", {
    description: "From a message being taken from its link until it was stored and acknowledged",
    attributes: { platform },
    boundaries: short
  })

export const roundTrip = (platform: PlatformId, clock: "path" | "session") =>
  Metric.histogram("evergate_heartbeat_round_trip_seconds", {
    description: "From a heartbeat until the next sign of life of its clock",
    attributes: { platform, clock },
    boundaries: short
  })

export const linkFailures = (platform: PlatformId, failure: string) =>
  Metric.counter("evergate_link_failures_total", {
    description: "Links that were lost, and attempts that failed, by kind of failure",
    attributes: { platform, failure },
    incremental: true
  })

/** By a lane's account. */
export const deliveries = (platform: PlatformId) => {
  const ended = (outcome: "delivered" | "dead") =>
    Metric.counter("evergate_deliveries_total", {
      description: "Messages that were delivered, or given up",
      attributes: { platform, outcome },
      incremental: true
    })
  return { delivered: ended("delivered"), dead: ended("dead") }
}

const turnDuration = (outcome: "ok" | "failed") =>
  Metric.histogram("evergate_turn_duration_seconds", {
    description: "Turns that ended, by outcome: from a turn's beginning until the agent had answered",
    attributes: { outcome },
    boundaries: long
  })
export const turns = { ok: turnDuration("ok"), failed: turnDuration("failed") }

export const cronLateness = Metric.histogram("evergate_cron_lateness_seconds", {
  description: "From when a job was due until it was fired",
  boundaries: [...short, 30, 60, 300, 3_600, 21_600, 86_400]
})
