/** Asks Feishu where to connect: a one-shot address for each attempt, or the reason why there is none. */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { LinkErrorReason } from "../../domain/LinkError.ts"
import { Auth, Bootstrap, ConnectionLimit, Protocol, Setup } from "../../domain/LinkError.ts"
import { networkFailure } from "../../domain/networkFailure.ts"
import { retryAfter } from "../../domain/retryAfter.ts"
import type { Answer } from "./call.ts"
import { call } from "./call.ts"
import type { ClientConfig } from "./clientConfig.ts"
import { readClientConfig } from "./clientConfig.ts"
import type { Credentials } from "./token.ts"

export interface Endpoint {
  /** Its query holds the connection's credentials. */
  readonly url: string
  /** Goes into every ping. */
  readonly service: number
  readonly config: ClientConfig
}

/** The brand an app belongs to; `custom` is a private deployment. */
export type Brand = "feishu" | "lark" | "custom"

const Granted = Schema.Struct({
  data: Schema.Struct({ URL: Schema.NonEmptyString, ClientConfig: Schema.optional(Schema.Unknown) })
})
const decodeGranted = Schema.decodeUnknownOption(Granted)

/** Unbounded in time: the caller gives it the step's limit. */
export const bootstrap = Effect.fnUntraced(function* (http: HttpClient, credentials: Credentials, brand: Brand) {
  const request = HttpClientRequest.post(`${credentials.base}/callback/ws/endpoint`).pipe(
    HttpClientRequest.setHeader("locale", "zh"),
    HttpClientRequest.bodyJsonUnsafe({ AppID: credentials.appId, AppSecret: Redacted.value(credentials.appSecret) })
  )
  const host = URL.parse(credentials.base)?.hostname ?? credentials.base
  const answer = yield* call(http, request).pipe(Effect.mapError((error) => networkFailure(error, host)))
  if (answer.envelope?.code !== 0 || answer.status >= 300) {
    return yield* refusal(answer, brand, yield* Clock.currentTimeMillis)
  }
  return yield* endpointOf(answer)
})

const endpointOf = (answer: Answer): Effect.Effect<Endpoint, LinkErrorReason> => {
  const granted = decodeGranted(answer.envelope?.body)
  if (Option.isNone(granted)) return Effect.fail(new Bootstrap({ code: "0", detail: "the answer names no address" }))
  const { URL: address, ClientConfig } = granted.value.data
  const url = URL.parse(address)
  if (url === null || !/^wss?:$/.test(url.protocol)) {
    return Effect.fail(new Protocol({ detail: "the address to connect to is no WebSocket's" }))
  }
  const service = Math.trunc(Number(url.searchParams.get("service_id") ?? 0)) | 0
  return Effect.succeed({ url: address, service, config: readClientConfig(ClientConfig) })
}

/** By the code where there is one, whatever the status says: both 200 and 400 come with codes. */
const refusal = (answer: Answer, brand: Brand, nowMillis: number): LinkErrorReason => {
  const wait = retryAfter(answer.headers["retry-after"], nowMillis)
  if (answer.envelope !== null && answer.envelope.code !== 0) {
    return byCode(answer.envelope.code, answer.envelope.message, brand, wait)
  }
  // A success or a redirect that is not Feishu's JSON is somebody else's page; 511 is a captive portal's own word.
  if (answer.status < 400 || answer.status === 511)
    return new Protocol({ detail: `HTTP ${answer.status} with a body that is not Feishu's JSON` })
  return new Bootstrap({ code: `HTTP ${answer.status}`, detail: "no address to connect to", ...waiting(wait) })
}

const waiting = (wait: number | undefined) => (wait === undefined ? {} : { retryAfterMillis: wait })

/** What a code of the endpoint, or of a refused upgrade, means. */
export const byCode = (code: number, message: string, brand: Brand, wait?: number): LinkErrorReason => {
  const said = { code: String(code), detail: message }
  switch (code) {
    case 403:
    case 514:
    case 1000040344:
    case 1000040345:
    case 1000040346:
      return new Auth(said)
    case 1000040351:
      return new Setup({ ...said, hint: otherBrand[brand] })
    case 1000040350:
      return new ConnectionLimit({ ...said, ...waiting(wait) })
    default:
      return new Bootstrap({ ...said, ...waiting(wait) })
  }
}

const otherBrand = {
  feishu: "the app belongs to the other brand: set `domain: lark`",
  lark: "the app belongs to the other brand: set `domain: feishu`",
  custom: "the app does not belong to this deployment: check `domain`"
} as const

type HandshakeHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A refused upgrade carries its code in headers of its own; without them the status is all there is. */
export const readRejection =
  (brand: Brand) =>
  (_status: number, headers: HandshakeHeaders): LinkErrorReason | undefined => {
    const read = (name: string) => String(headers[name] ?? "")
    const status = Number(read("handshake-status"))
    const message = read("handshake-msg").slice(0, 200)
    if (read("handshake-autherrcode") === "1000040350") return byCode(1000040350, message, brand)
    // 514 without that code passes by itself: the address's ticket was used up or too old.
    if (status === 403) return byCode(403, message, brand)
    return Number.isInteger(status) && status > 0 ? new Bootstrap({ code: String(status), detail: message }) : undefined
  }
