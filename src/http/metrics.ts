/**
 * `GET /metrics` for Prometheus: what is measured where it happens, and beside it what is counted anyway, read now. The
 * latter is put into a registry of its own for each scrape, so that nothing stays of a platform that is gone.
 */
import { Clock, Effect, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Supervision } from "../actors/Supervision.ts"
import { Supervisor } from "../actors/Supervisor.ts"
import { Vitals } from "../actors/Vitals.ts"
import type { Measure } from "./measures.ts"
import { measures } from "./measures.ts"
import type { StatusSources } from "./Status.ts"
import { status } from "./Status.ts"

const prefix = "evergate"

const make = { counter: Metric.counter, gauge: Metric.gauge }

const put = ({ help, name, series, type }: Measure): Effect.Effect<void> =>
  Effect.forEach(
    series,
    ({ labels = {}, value }) => {
      const metric: Metric.Metric<number, unknown> = make[type](`${prefix}_${name}`, {
        description: help,
        attributes: labels
      })
      return Metric.update(metric, value)
    },
    { discard: true }
  )

const counted: Effect.Effect<string, never, StatusSources> = Effect.gen(function* () {
  const found = measures({
    now: yield* Clock.currentTimeMillis,
    status: yield* status,
    links: yield* (yield* Supervisor).links,
    parts: yield* (yield* Supervision).parts,
    vitals: yield* (yield* Vitals).read
  })
  return yield* Effect.andThen(Effect.forEach(found, put, { discard: true }), PrometheusMetrics.format()).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
})

/** Of an app around the gateway too, where it has metrics of its own. */
const scrape = Effect.gen(function* () {
  const text = `${yield* counted}${yield* PrometheusMetrics.format()}`
  return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
})

export const route = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<StatusSources>()
    yield* router.add("GET", "/metrics", Effect.provideContext(scrape, context))
  })
)
