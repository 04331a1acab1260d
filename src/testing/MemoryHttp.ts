/** `HttpClient` in memory, for virtual time: a far end's answers without a socket, a timer or a promise. */
import { Effect, Inspectable, Option, Pipeable, Schema, Stream } from "effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import { DecodeError, HttpClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"
import type { HttpAnswer, HttpAsked } from "./HttpAnswer.ts"

/** What happens to a request that never gets an HTTP answer, by the code that Node would give the failure. */
export type NetworkFault = { readonly _tag: "Fault"; readonly code: string }

export const make = (answer: (asked: HttpAsked) => Effect.Effect<HttpAnswer | NetworkFault>): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    Effect.flatMap(answer(askedOf(request, url)), (answer) => {
      switch (answer._tag) {
        case "Answer":
          return Effect.succeed(new MemoryResponse(request, url.href, answer))
        case "Hang":
          return Effect.never
        case "Reset":
          return fault(request, "ECONNRESET")
        case "Fault":
          return fault(request, answer.code)
      }
    })
  )

const fault = (request: HttpClientRequest, code: string) =>
  Effect.fail(new HttpClientError({ reason: new TransportError({ request, cause: { code, message: code } }) }))

const askedOf = (request: HttpClientRequest, url: URL): HttpAsked => ({
  method: request.method,
  path: url.pathname,
  query: url.searchParams,
  headers: request.headers,
  body: request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
})

/** Its body is there from the start, so nothing of it is asynchronous. */
class MemoryResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly cookies = Cookies.empty
  readonly remoteAddress = Option.none<string>()
  readonly request: HttpClientRequest
  readonly url: string
  readonly status: number
  readonly headers: Headers.Headers
  readonly text: Effect.Effect<string>
  readonly json: Effect.Effect<Schema.Json, HttpClientError>
  readonly stream: Stream.Stream<Uint8Array>
  readonly arrayBuffer: Effect.Effect<ArrayBuffer>
  readonly urlParamsBody: Effect.Effect<UrlParams.UrlParams>
  readonly formData = this.#unplayed("forms are not played in memory")
  readonly upgrade = this.#unplayed("MemoryTransport plays upgrades")

  constructor(request: HttpClientRequest, url: string, answer: Extract<HttpAnswer, { _tag: "Answer" }>) {
    super()
    const bytes = Uint8Array.from(new TextEncoder().encode(answer.body))
    this.request = request
    this.url = url
    this.status = answer.status
    this.headers = Headers.fromInput(answer.headers)
    this.text = Effect.succeed(answer.body)
    this.json = Effect.suspend(() =>
      Option.match(decodeJson(answer.body), {
        onNone: () => this.#unplayed("the body is not JSON"),
        onSome: Effect.succeed
      })
    )
    this.stream = Stream.succeed(bytes)
    this.arrayBuffer = Effect.succeed(bytes.buffer)
    this.urlParamsBody = Effect.succeed(UrlParams.fromInput(new URLSearchParams(answer.body)))
  }

  #unplayed(description: string): Effect.Effect<never, HttpClientError> {
    return Effect.suspend(() =>
      Effect.fail(
        new HttpClientError({ reason: new DecodeError({ request: this.request, response: this, description }) })
      )
    )
  }

  override toJSON(): unknown {
    return { _id: "MemoryResponse", url: this.url, status: this.status }
  }

  pipe() {
    return Pipeable.pipeArguments(this, arguments)
  }
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))
