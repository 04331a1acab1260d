/** One REST call: bounded in size, read as Feishu's envelope. What the codes mean is up to whoever asked. */
import { ByteSize, Effect, Option, Schema } from "effect"
import type * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import { parseJson } from "./content.ts"

/** How long a call may take where nothing shorter is asked for. */
export const callDeadline = "15 seconds"

export interface Answer {
  readonly status: number
  readonly headers: Headers.Headers
  /** Null where the body is not Feishu's envelope: a proxy, a portal or a broken server answered. */
  readonly envelope: Envelope | null
}

const Envelope = Schema.Struct({ code: Schema.Number, msg: Schema.optional(Schema.NullOr(Schema.String)) })

export interface Envelope {
  readonly code: number
  readonly message: string
  /** The whole body: some answers keep their fields beside the code, not under `data`. */
  readonly body: unknown
}

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)

export const call = (http: HttpClient.HttpClient, request: HttpClientRequest): Effect.Effect<Answer, HttpClientError> =>
  http.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) => ({
        status: response.status,
        headers: response.headers,
        envelope: read(text)
      }))
    ),
    Effect.provideService(MaxBodySize, ByteSize.mebibytes(1)),
    // Trace ids are the gateway's own affair.
    Effect.provideService(HttpClient.TracerPropagationEnabled, false)
  )

const read = (text: string): Envelope | null => {
  const body = Option.getOrUndefined(parseJson(text))
  const envelope = decodeEnvelope(body)
  if (Option.isNone(envelope)) return null
  return { code: envelope.value.code, message: (envelope.value.msg ?? "").slice(0, 200), body }
}
