/** The spans of messages, as OTLP has them, sent on in batches. */
import { Duration, Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import type { OtlpTracer } from "effect/observability"
import { OtlpExporter, OtlpResource, OtlpSerialization } from "effect/observability"
import type { Span } from "../actors/Spans.ts"
import * as Spans from "../actors/Spans.ts"
import { version } from "./version.ts"

export interface ExportOptions {
  /** Of the collector, without `/v1/…`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: { readonly serviceName: string; readonly serviceVersion: string }
  /** What the last batch gets at a stop. */
  readonly shutdownTimeout: Duration.Duration
}

type Exported = OtlpTracer.TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]

const every = Duration.seconds(5)
const mostInBatch = 1000

/** For everything above it. */
export const layer = ({
  headers,
  resource,
  shutdownTimeout,
  url
}: ExportOptions): Layer.Layer<never, never, HttpClient.HttpClient | OtlpSerialization.OtlpSerialization> =>
  Layer.effect(
    Spans.Spans,
    Effect.gen(function* () {
      const serialization = yield* OtlpSerialization.OtlpSerialization
      const described = yield* OtlpResource.fromConfig(resource)
      const exporter = yield* OtlpExporter.make({
        label: "spans",
        url: `${url}/v1/traces`,
        headers,
        exportInterval: every,
        maxBatchSize: mostInBatch,
        shutdownTimeout,
        body: (spans) => {
          const scopeSpans = [{ scope: { name: "evergate", version }, spans }]
          return [serialization.traces({ resourceSpans: [{ resource: described, scopeSpans }] }), Effect.void]
        }
      })
      return Spans.make((span) => exporter.push(exportedOf(span)))
    })
  ).pipe(Layer.provide(OtlpExporter.layerFlusher))

const kinds: Readonly<Record<Span["name"], number>> = {
  message: 5,
  stored: 1,
  acknowledged: 1,
  queued: 1,
  turn: 1,
  sent: 3
}
const ok = 1
const failed = 2

const nanos = (millis: number): string => String(BigInt(Math.round(millis)) * 1_000_000n)

const exportedOf = ({ attributes, endAt, error, name, parentId, spanId, startAt, traceId }: Span): Exported => ({
  traceId,
  spanId,
  parentSpanId: parentId ?? undefined,
  name,
  kind: kinds[name],
  startTimeUnixNano: nanos(startAt),
  // A wall clock that was set back between the two must not make it negative.
  endTimeUnixNano: nanos(Math.max(startAt, endAt)),
  attributes: OtlpResource.entriesToAttributes(Object.entries(attributes)),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: error === null ? { code: ok } : { code: failed, message: error },
  links: [],
  droppedLinksCount: 0
})
