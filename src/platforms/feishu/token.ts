/** The `tenant_access_token`: one request at a time however many ask, renewed before it ends, dropped when refused. */
import { Clock, Effect, Option, Redacted, Schema, Semaphore } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { SendError, Unavailable } from "../../domain/Errors.ts"
import { monotonicMillis } from "../../domain/monotonic.ts"
import { networkFailure } from "../../domain/networkFailure.ts"
import type { Answer } from "./call.ts"
import { call, callDeadline } from "./call.ts"
import { sendFailure } from "./codes.ts"

export interface Credentials {
  /** Without a slash at its end. */
  readonly base: string
  readonly appId: string
  readonly appSecret: Redacted.Redacted
}

export interface Tokens {
  /** A token that is good for a while yet. A failure says that nothing was sent. */
  readonly get: Effect.Effect<Redacted.Redacted, SendError>
  /** Feishu refused this one. */
  readonly drop: (token: Redacted.Redacted) => Effect.Effect<void>
}

/** Renewed when this little is left; of a short life, the second half. */
const margin = 600_000

const Granted = Schema.Struct({ tenant_access_token: Schema.NonEmptyString, expire: Schema.Number })
const decodeGranted = Schema.decodeUnknownOption(Granted)

export const makeTokens = Effect.fnUntraced(function* (
  http: HttpClient,
  credentials: Credentials
): Effect.fn.Return<Tokens> {
  const turn = yield* Semaphore.make(1)
  let held: Held | null = null

  const get = Effect.gen(function* () {
    const now = yield* monotonicMillis
    if (held === null || now >= held.renewAt) {
      const { token, lifeMillis } = yield* fetch(http, credentials)
      held = { token, renewAt: now + lifeMillis - Math.min(margin, lifeMillis / 2) }
    }
    return held.token
  })
  const drop = (token: Redacted.Redacted) =>
    Effect.sync(() => {
      if (held?.token === token) held = null
    })
  return { get: turn.withPermit(get), drop }
})

interface Held {
  readonly token: Redacted.Redacted
  readonly renewAt: number
}

const fetch = Effect.fnUntraced(function* (http: HttpClient, credentials: Credentials) {
  const request = HttpClientRequest.post(`${credentials.base}/open-apis/auth/v3/tenant_access_token/internal`).pipe(
    HttpClientRequest.bodyJsonUnsafe({ app_id: credentials.appId, app_secret: Redacted.value(credentials.appSecret) })
  )
  const answer = yield* call(http, request).pipe(
    Effect.mapError((error) => unavailable(networkFailure(error, hostOf(credentials)).message)),
    Effect.timeoutOrElse({ duration: callDeadline, orElse: () => Effect.fail(unavailable("no answer in time")) })
  )
  const granted = decodeGranted(answer.envelope?.body)
  if (answer.envelope?.code !== 0 || Option.isNone(granted)) {
    return yield* refused(answer, yield* Clock.currentTimeMillis)
  }
  return {
    token: Redacted.make(granted.value.tenant_access_token),
    lifeMillis: Math.max(0, granted.value.expire * 1000)
  }
})

const hostOf = ({ base }: Credentials): string => URL.parse(base)?.hostname ?? base

/** Whatever is wrong with the token, the message that wanted it was not sent and keeps. */
const refused = (answer: Answer, nowMillis: number): SendError => {
  const reason = sendFailure(answer, nowMillis)
  if (reason._tag === "RateLimited") return new SendError({ reason })
  return unavailable(
    answer.envelope === null ? `HTTP ${answer.status}` : `${answer.envelope.code}: ${answer.envelope.message}`
  )
}

const unavailable = (detail: string): SendError =>
  new SendError({ reason: new Unavailable({ detail: `no access token: ${detail}` }) })
