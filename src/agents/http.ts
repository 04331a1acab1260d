/**
 * The agent elsewhere: POSTs each turn and takes the replies from the response. Session → **http** → an HTTP server.
 * 429 and 503 are asked again as told; anything else that is no answer is a failed turn, and is not repeated.
 */
import type { Redacted } from "effect"
import { ByteSize, Clock, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import type { Mac } from "effect/crypto/Mac"
import type { Headers } from "effect/http/Headers"
import { HttpClient, TracerPropagationEnabled } from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import { AgentError } from "../domain/Errors.ts"
import { networkFailure } from "../domain/networkFailure.ts"
import { retryAfter } from "../domain/retryAfter.ts"
import type { Turn } from "../domain/Turn.ts"
import { Reply } from "../domain/Turn.ts"
import { Agent } from "./Agent.ts"
import { makeSign } from "./signature.ts"

export interface HttpAgentOptions {
  /** `http:` or `https:`. A name and password in it are sent as basic authentication. */
  readonly url: string
  /** Signs each request; null: unsigned. */
  readonly secret: Redacted.Redacted | null
}

const largestAnswer = ByteSize.mebibytes(1)
const mostRetries = 3
/** Where the server does not tell how long to wait. */
const untold = Duration.seconds(1)

export const layer = (options: HttpAgentOptions): Layer.Layer<Agent, never, HttpClient | Mac> =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const http = yield* HttpClient
      const sign = yield* makeSign(options.secret)
      const target = targetOf(options.url)

      const once = Effect.fnUntraced(function* (turn: Turn, body: string) {
        // Its time is part of what is signed, so that a repeat is signed afresh.
        const request = HttpClientRequest.setHeaders(requestOf(target, turn, body), yield* sign(body))
        return yield* http.execute(request).pipe(
          Effect.flatMap(({ status, headers, text }) =>
            Effect.map(text, (text): Answer => ({ status, headers, text }))
          ),
          Effect.provideService(MaxBodySize, largestAnswer),
          // Trace ids are the gateway's own affair.
          Effect.provideService(TracerPropagationEnabled, false),
          Effect.mapError((error) => unanswered(error, target.host))
        )
      })

      const ask = Effect.fnUntraced(function* (turn: Turn) {
        const body = JSON.stringify(turn)
        let answer = yield* once(turn, body)
        for (let retries = 0; retries < mostRetries && busy.has(answer.status); retries++) {
          yield* Effect.sleep(waitOf(answer.headers, yield* Clock.currentTimeMillis))
          answer = yield* once(turn, body)
        }
        return yield* repliesOf(answer)
      })

      return Agent.of({ turn: (turn) => Stream.fromIterableEffect(ask(turn)) })
    })
  )

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface Target {
  /** Without name and password, which belong into a header that no log shows. */
  readonly url: string
  readonly host: string
  readonly user: string
  readonly password: string
}

const targetOf = (text: string): Target => {
  const url = new URL(text)
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ""
  url.password = ""
  return { url: url.href, host: url.host, user, password }
}

const requestOf = (target: Target, turn: Turn, body: string): HttpClientRequest.HttpClientRequest => {
  const request = HttpClientRequest.post(target.url, { acceptJson: true }).pipe(
    HttpClientRequest.setHeaders({ "evergate-turn": turn.turn, "evergate-attempt": String(turn.attempt) }),
    HttpClientRequest.bodyText(body, "application/json")
  )
  return target.user === "" ? request : HttpClientRequest.basicAuth(request, target.user, target.password)
}

const busy = new Set([429, 503])

const waitOf = (headers: Headers, now: number): Duration.Duration => {
  const wait = retryAfter(headers["retry-after"], now)
  return wait === undefined ? untold : Duration.millis(wait)
}

const failed = (detail: string) => Effect.fail(new AgentError({ detail }))

/** The error's own text names the URL, whose query may be a secret; what the network said is enough. */
const unanswered = (error: HttpClientError, host: string): AgentError =>
  new AgentError({
    detail:
      error.reason._tag === "TransportError"
        ? `${host} did not answer: ${networkFailure(error, host).message}`
        : `the answer of ${host} could not be read (${error.reason._tag}); the most is ${ByteSize.format(largestAnswer)}`
  })

const Said = Schema.fromJsonString(
  Schema.Struct({ text: Schema.optionalKey(Schema.String), messages: Schema.optionalKey(Schema.Array(Reply)) })
)
const decodeSaid = Schema.decodeUnknownOption(Said)

const repliesOf = ({ status, headers, text }: Answer): Effect.Effect<ReadonlyArray<Reply>, AgentError> => {
  if (status === 204) return Effect.succeed([])
  if (status !== 200) return failed(`it answered with ${status}: ${excerpt(text)}`)
  if (headers["content-type"]?.startsWith("text/event-stream") === true) {
    return failed("it answered with text/event-stream, which is not built yet; answer with application/json")
  }
  return Option.match(decodeSaid(text), {
    onNone: () => failed(`it did not answer with {"text": …}, {"messages": [{"text": …}]} or {}: ${excerpt(text)}`),
    onSome: (said) => Effect.succeed(said.messages ?? (said.text === undefined ? [] : [{ text: said.text }]))
  })
}

const excerpt = (text: string): string => JSON.stringify(text.slice(0, 200))
