/** A collector of traces and logs: an HTTP server that keeps what is exported to it. */
import type { Scope } from "effect"
import { Effect } from "effect"
import type { HttpAnswer, HttpAsked } from "../src/testing/HttpAnswer.ts"
import { json } from "../src/testing/HttpAnswer.ts"
import { serve } from "../src/testing/Peer.ts"

export interface Exported {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
  readonly status: { readonly code: number; readonly message?: string }
}

export interface Collector {
  readonly url: string
  readonly asked: Effect.Effect<ReadonlyArray<HttpAsked>>
  readonly spans: Effect.Effect<ReadonlyArray<Exported>>
  /** The words of the log's lines. */
  readonly lines: Effect.Effect<ReadonlyArray<string>>
}

/** What OTLP's JSON holds, as far as the tests ask. */
interface Body {
  readonly resourceSpans?: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Exported> }>
  }>
  readonly resourceLogs?: ReadonlyArray<{
    readonly scopeLogs: ReadonlyArray<{
      readonly logRecords: ReadonlyArray<{ readonly body: { readonly stringValue?: string } }>
    }>
  }>
}

export const collector = Effect.fnUntraced(function* (
  answer: Effect.Effect<HttpAnswer> = Effect.succeed(json({}))
): Effect.fn.Return<Collector, never, Scope.Scope> {
  const asked: Array<HttpAsked> = []
  const port = yield* serve({
    http: (request) => {
      asked.push(request)
      return answer
    },
    upgrade: Effect.succeed({ _tag: "Refuse", status: 400 }),
    socket: () => Effect.succeed({ receive: () => Effect.void, gone: Effect.void })
  })
  const bodies = Effect.sync(() => asked.map(({ body }) => JSON.parse(body) as Body))
  return {
    url: `http://127.0.0.1:${port}`,
    asked: Effect.sync(() => Array.from(asked)),
    spans: Effect.map(bodies, (all) =>
      all.flatMap(({ resourceSpans = [] }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      )
    ),
    lines: Effect.map(bodies, (all) =>
      all.flatMap(({ resourceLogs = [] }) =>
        resourceLogs.flatMap(({ scopeLogs }) =>
          scopeLogs.flatMap(({ logRecords }) => logRecords.map(({ body }) => body.stringValue ?? ""))
        )
      )
    )
  }
})
