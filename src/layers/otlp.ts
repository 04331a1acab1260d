/**
 * Traces and logs for a collector, by the variables that every program has for it: OTEL_EXPORTER_OTLP_ENDPOINT,
 * OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME. Without an endpoint there is nothing of it. What leaves is masked where it
 * leaves, so that no way around the mask exists, and goes out like everything else: by the policy of `proxy`.
 */
import { Duration, Effect, Layer, Redacted } from "effect"
import { HttpBody, HttpClient } from "effect/http"
import { OtlpLogger, OtlpSerialization } from "effect/observability"
import type { Environment } from "../config/references.ts"
import * as Egress from "./Egress.ts"
import type { Mask } from "./logLine.ts"
import { maskOf } from "./logLine.ts"
import * as OtlpRoad from "./otlpRoad.ts"
import * as OtlpSpans from "./otlpSpans.ts"
import { version } from "./version.ts"

export interface OtlpOptions {
  readonly environment: Environment
  /** The contract's `proxy`. */
  readonly proxy: string
  /** Masked in all that is exported; those of `secretsOf` are to be among them. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** A stop does not wait longer than this for a collector. */
const shutdownTimeout = Duration.millis(500)

/** Merges with the loggers below it; the spans are for everything above it. */
export const layer = ({ environment, proxy, secrets }: OtlpOptions): Layer.Layer<never> => {
  const given = environment["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? ""
  if (given === "" || environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return Layer.empty
  const endpoint = URL.parse(given)
  if (endpoint === null) {
    return Layer.effectDiscard(Effect.logWarning("no telemetry: OTEL_EXPORTER_OTLP_ENDPOINT is not a URL"))
  }
  const options = {
    url: endpoint.href.replace(/\/+$/, ""),
    headers: headersOf(environment),
    resource: { serviceName: environment["OTEL_SERVICE_NAME"] || "evergate", serviceVersion: version },
    shutdownTimeout
  }
  const logs = OtlpLogger.layer({ ...options, url: `${options.url}/v1/logs`, excludeLogSpans: true })
  const road = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, OtlpRoad.make))
  return Layer.merge(logs, OtlpSpans.layer(options)).pipe(
    Layer.provide(serialization(maskOf(secrets))),
    Layer.provide(Layer.provide(road, Egress.layer({ proxy, environment })))
  )
}

/** What a collector is shown to let us in; for the masks of everybody. */
export const secretsOf = (environment: Environment): ReadonlyArray<Redacted.Redacted> => {
  const password = URL.parse(environment["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "")?.password ?? ""
  // After a scheme, such as `Bearer`, the rest is the secret by itself too.
  const shown = Object.values(headersOf(environment)).flatMap((value) => [value, value.replace(/^\S+\s+/, "")])
  return [...shown, password].filter((text) => text !== "").map((text) => Redacted.make(text))
}

/** `name=value,name=value`, each percent-encoded. */
const headersOf = (environment: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? "").split(",").flatMap((pair) => {
      const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      return name === undefined || value === undefined ? [] : [[decoded(name).toLowerCase(), decoded(value)]]
    })
  )

/** A stray `%` stands for itself. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())

const serialization = (mask: Mask) => {
  const body = (data: unknown) => HttpBody.text(mask(JSON.stringify(data)), "application/json")
  return Layer.succeed(OtlpSerialization.OtlpSerialization, { traces: body, logs: body, metrics: body })
}
