/**
 * The road that telemetry leaves by: bounded in time and number, so that a collector that hangs costs spans and never the
 * gateway's memory; that it does not work is told once, and once that it works again.
 */
import { Duration, Effect } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import type { HttpClientRequest, HttpClientResponse } from "effect/http"

const requestWithin = Duration.seconds(10)
const mostUnderWay = 4

type Exchange = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** A client that goes this road, made of one that knows the way. */
export const make = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  let underWay = 0
  let isBroken = false

  const tell = (error: string | null): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isBroken === (error !== null)) return Effect.void
      isBroken = error !== null
      return isBroken
        ? Effect.annotateLogs(Effect.logWarning("telemetry is not exported"), { error, hint })
        : Effect.logInfo("telemetry is exported again")
    })

  const exchange = (request: HttpClientRequest.HttpClientRequest, send: Exchange): Exchange => {
    const failed = (description: string) =>
      new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })
    return Effect.suspend(() => {
      if (underWay >= mostUnderWay) return Effect.fail(failed("the collector does not keep up"))
      underWay++
      return send.pipe(
        Effect.timeoutOrElse({
          duration: requestWithin,
          orElse: () => Effect.fail(failed(`no answer within ${Duration.format(requestWithin)}`))
        }),
        Effect.ensuring(Effect.sync(() => void underWay--))
      )
    }).pipe(
      Effect.tap(({ status }) => tell(status < 400 ? null : `the collector answered ${status}`)),
      Effect.tapError((error) => tell(error.message))
    )
  }
  return HttpClient.transform(client, (send, request) => exchange(request, send))
}

const hint =
  "see OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS; what happens meanwhile is not exported later"
