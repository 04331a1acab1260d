/** Traces and logs, exported to a collector on loopback. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Logger, Redacted, References } from "effect"
import type { Environment } from "../../src/config/references.ts"
import { rootSpanIdOf, traceIdOf } from "../../src/domain/traceId.ts"
import * as Otlp from "../../src/layers/otlp.ts"
import { json } from "../../src/testing/HttpAnswer.ts"
import { agentServer, says } from "../agentServer.ts"
import { ask, post } from "../asking.ts"
import type { Collector } from "../collector.ts"
import { collector } from "../collector.ts"
import { served } from "../http/served.ts"
import { until } from "../service.ts"

const exporting = (environment: Environment, proxy = "none") =>
  Otlp.layer({ environment, proxy, secrets: [Redacted.make("s3cr3t-value")] })

const open = { id: "local", kind: "local" }

const to = ({ url }: Pick<Collector, "url">, more: Environment = {}): Environment => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  ...more
})

/** What is logged beside the export. */
const heard = () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    const { error } = fiber.getRef(References.CurrentLogAnnotations)
    lines.push(`${logLevel} ${String(message)}${error === undefined ? "" : `: ${String(error)}`}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

describe("a trace a message", () => {
  it.live("goes from the message to what was sent, under the name that its turn has", () =>
    Effect.gen(function* () {
      const exported = yield* collector()
      const agent = yield* agentServer(() => Effect.succeed(says("fine")))
      const body = yield* Effect.gen(function* () {
        const { url } = yield* served({ agent: { kind: "http", url: agent.url }, platforms: [open] })
        yield* post(`${url}/api/chat`, { text: "how are you?" })
        const status = yield* until(ask(`${url}/api/status`), ({ text }) => text.includes('"delivered":1'))
        return status.text
      }).pipe(Effect.scoped, Effect.provide(exporting(to(exported))))

      const all = yield* exported.spans
      const [turn] = yield* agent.turns
      const traceId = traceIdOf(turn?.turn ?? "")
      assert.include(body, '"health":"ok"')
      assert.deepStrictEqual(
        all.map(({ name }) => name),
        ["message", "stored", "acknowledged", "queued", "turn", "sent"]
      )
      assert.deepStrictEqual([...new Set(all.map((span) => span.traceId))], [traceId])
      assert.deepStrictEqual(
        all.map(({ parentSpanId }) => parentSpanId),
        [undefined, ...Array.from({ length: 5 }, () => rootSpanIdOf(traceId))]
      )
      assert.strictEqual(all[0]?.spanId, rootSpanIdOf(traceId))
      assert.strictEqual(new Set(all.map(({ spanId }) => spanId)).size, 6)
      assert.deepStrictEqual(
        all.filter(({ endTimeUnixNano, startTimeUnixNano }) => BigInt(endTimeUnixNano) < BigInt(startTimeUnixNano)),
        []
      )
    })
  )

  it.live("F210: holds no text that somebody wrote and no secret, also where one is in what failed", () =>
    Effect.gen(function* () {
      const exported = yield* collector()
      const agent = yield* agentServer(() => Effect.succeed(json({ error: "key s3cr3t-value is wrong" }, 500)))
      yield* Effect.gen(function* () {
        const { url } = yield* served({ agent: { kind: "http", url: agent.url }, platforms: [open] })
        yield* post(`${url}/api/chat`, { text: "between us" })
        yield* until(ask(`${url}/api/status`), ({ text }) => text.includes('"delivered":1'))
        yield* Effect.logError("it said s3cr3t-value").pipe(Effect.annotateLogs({ key: "s3cr3t-value" }))
      }).pipe(
        Effect.scoped,
        Effect.provide(exporting(to(exported, { OTEL_EXPORTER_OTLP_HEADERS: "api-key=an%20other" })))
      )

      const asked = yield* exported.asked
      const turn = (yield* exported.spans).find(({ name }) => name === "turn")
      assert.strictEqual(turn?.status.code, 2)
      assert.include(yield* exported.lines, "it said <redacted>")
      assert.deepStrictEqual(
        asked.filter(({ body }) => /s3cr3t|between us/.test(body)),
        []
      )
      assert.deepStrictEqual([...new Set(asked.map(({ headers }) => headers["api-key"]))], ["an other"])
    })
  )
})

describe("a collector", () => {
  it.live("that refuses, or that does not exist, is told of once, and holds up no end", () =>
    Effect.gen(function* () {
      const refusing = yield* collector(Effect.succeed(json({}, 401)))
      const said = yield* Effect.forEach([refusing.url, "http://127.0.0.1:1"], (url) => {
        const { layer, lines } = heard()
        const two = Effect.andThen(
          Effect.logInfo("hello"),
          until(
            Effect.sync(() => lines.length),
            (count) => count > 1
          )
        )
        return Effect.timed(Effect.provide(two, Layer.provideMerge(exporting(to({ url })), layer))).pipe(
          Effect.map(([took]) => ({ lines, took: Duration.toMillis(took) }))
        )
      })

      for (const { lines, took } of said) {
        assert.match(lines.join("\n"), /^Info hello\nWarn telemetry is not exported: .+$/)
        assert.isBelow(took, 6_000)
      }
      assert.include(said[0]?.lines[1], "the collector answered 401")
    })
  )

  it.live("is reached by the way that the settings say, and by no other", () =>
    Effect.gen(function* () {
      const { layer, lines } = heard()
      const exported = yield* collector()
      const two = Effect.andThen(
        Effect.logInfo("hello"),
        until(
          Effect.sync(() => lines.length),
          (count) => count > 1
        )
      )

      yield* Effect.provide(two, Layer.provideMerge(exporting(to(exported), "http://127.0.0.1:1"), layer))

      assert.match(lines[1] ?? "", /^Warn telemetry is not exported: /)
      assert.deepStrictEqual(yield* exported.asked, [])
    })
  )

  it.live("is none where nothing names one, where it is off, and where its name is no URL, which is told", () =>
    Effect.gen(function* () {
      const { layer, lines } = heard()
      const exported = yield* collector()
      for (const environment of [
        {},
        to(exported, { OTEL_SDK_DISABLED: "true" }),
        { OTEL_EXPORTER_OTLP_ENDPOINT: "::" }
      ]) {
        yield* Effect.logInfo("hello").pipe(Effect.provide(Layer.provideMerge(exporting(environment), layer)))
      }

      assert.deepStrictEqual(yield* exported.asked, [])
      assert.deepStrictEqual(
        lines.filter((line) => !line.endsWith("hello")),
        ["Warn no telemetry: OTEL_EXPORTER_OTLP_ENDPOINT is not a URL"]
      )
    })
  )
})
