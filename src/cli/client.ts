/** The running gateway, as the commands ask it: the same API that scripts use, on the address that the home names. */
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import type { Settings } from "../config/Settings.ts"
import { isLoopback } from "../config/loopback.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import * as RunFile from "../layers/RunFile.ts"

/** It refused what was asked, and says why. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Number,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** Nobody answers at that address within the time. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  url: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `nobody answers at ${this.url}: ${this.detail}`
  }
}

const Problem = Schema.Struct({ what: Schema.String, hint: Schema.String })

/** What has to be known of a gateway to ask it. */
export type Asked = Pick<Settings, "home" | "http">

const hostOf = (host: string): string => (host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host)

/**
 * The address that the home's gateway wrote down, else the one of the settings. Where nobody holds the home, whoever listens
 * there is another home's gateway: it is not asked.
 */
const urlOf = Effect.fnUntraced(function* ({ home, http }: Asked) {
  const url = `http://${hostOf(http.host)}:${http.port}`
  const holder = yield* Effect.mapError(HomeLock.holder(home), ({ message }) => new NoAnswer({ url, detail: message }))
  if (Option.isNone(holder)) return yield* new NoAnswer({ url, detail: `no gateway holds ${home}` })
  const written = Option.filter(yield* RunFile.read(home), ({ pid }) => pid === holder.value.pid)
  return Option.match(written, {
    onNone: () => url,
    onSome: ({ url }) => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
  })
})

const refusalOf = (status: number, body: unknown, elsewhere?: string): Refused => {
  const problem = Schema.decodeUnknownOption(Problem)(body)
  if (Option.isNone(problem)) return new Refused({ status, detail: `the gateway answered ${status}` })
  const { what, hint } = problem.value
  return new Refused({ status, detail: `${what}; ${status === 404 ? (elsewhere ?? hint) : hint}` })
}

export interface Asking {
  readonly method?: "GET" | "POST" | "DELETE"
  readonly body?: unknown
  readonly timeoutMillis?: number
  /** What to do where there is no such thing: in the words of the commands, where the API speaks of itself. */
  readonly elsewhere?: string
}

/** One request to the running gateway; its JSON, read by the schema. */
export const ask = <A>(gateway: Asked, path: string, schema: Schema.Decoder<A>, options: Asking = {}) =>
  Effect.gen(function* () {
    const url = yield* urlOf(gateway)
    const { host, token } = gateway.http
    const noAnswer = (detail: string) => new NoAnswer({ url, detail })
    const request = HttpClientRequest.make(options.method ?? "GET")(`${url}${path}`, {
      ...(isLoopback(host) || token === null ? {} : { headers: { authorization: `Bearer ${Redacted.value(token)}` } }),
      ...(options.method !== undefined && options.method !== "GET"
        ? { body: HttpBody.jsonUnsafe(options.body ?? {}) }
        : {})
    })
    const client = yield* HttpClient.HttpClient
    const { status, body } = yield* client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.json, (body) => ({ status: response.status, body }))),
      Effect.mapError((error) => noAnswer(error.message)),
      Effect.timeoutOrElse({
        duration: options.timeoutMillis ?? 10_000,
        orElse: () => Effect.fail(noAnswer("it took too long"))
      })
    )
    if (status >= 400 && status !== 503) return yield* refusalOf(status, body, options.elsewhere)
    return yield* Schema.decodeUnknownEffect(schema)(body).pipe(
      Effect.mapError((error) =>
        status >= 400 ? refusalOf(status, body, options.elsewhere) : noAnswer(`not an evergate: ${error.message}`)
      )
    )
  }).pipe(Effect.provide(FetchHttpClient.layer))
