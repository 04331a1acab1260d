/**
 * Who may ask: the contract's rules, before any handler. Host must be a name of the listener, so that no page of another
 * name reaches it by DNS; what changes something must be JSON and of our own origin, so that no page posts a form to it;
 * a listener that is not loopback wants the token. Strangers get a status and nothing else.
 */
import { Cause, Effect, Redacted } from "effect"
import { HttpEffect, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"

export interface GuardOptions {
  /** The names under which the listener may be asked for, without port, lower-case. */
  readonly names: ReadonlySet<string>
  /** Null: none is asked for. */
  readonly token: Redacted.Redacted | null
}

interface Refusal {
  readonly status: number
  readonly what: string
  readonly where: string
  readonly hint: string
}

const changing = new Set(["POST", "PUT", "PATCH", "DELETE"])

/** What a load balancer or a person may see without the token: that the process lives, and pages without its data. */
const isPublic = (path: string): boolean => openPaths.has(path) || path.startsWith("/page/")
const openPaths = new Set(["/livez", "/", "/docs", "/openapi.json"])

export const withoutPort = (host: string): string => host.toLowerCase().replace(/:\d+$/, "")

/** Takes as long for a wrong token as for the right one. */
export const isSame = (given: string, expected: string): boolean => {
  let difference = given.length ^ expected.length
  for (let i = 0; i < expected.length; i++) difference |= (given.charCodeAt(i) || 0) ^ expected.charCodeAt(i)
  return difference === 0
}

/** Null when the request may go on. Header names are lower-case. */
export const judge = (
  request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string | undefined>>
  },
  { names, token }: GuardOptions
): Refusal | null => {
  const { method, path, headers } = request
  const host = headers["host"] ?? ""
  if (!names.has(withoutPort(host))) {
    return {
      status: 421,
      what: "this is not the listener's name",
      where: "Host",
      hint: `ask for ${[...names].join(" or ")}`
    }
  }
  if (token !== null && !isPublic(path)) {
    const given = headers["authorization"] ?? ""
    if (!isSame(given, `Bearer ${Redacted.value(token)}`)) {
      return {
        status: 401,
        what: "the token is missing or wrong",
        where: "Authorization",
        hint: "send `Bearer <http.token>`"
      }
    }
  }
  if (!changing.has(method)) return null
  const origin = headers["origin"]
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return {
      status: 403,
      what: "another origin asks",
      where: "Origin",
      hint: "only the gateway's own page may ask from a browser"
    }
  }
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) {
    return { status: 415, what: "the body is not JSON", where: "Content-Type", hint: "send application/json" }
  }
  return null
}

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

/** In the form of every other refusal of the API. */
const refuse = ({ status, ...problem }: Refusal) =>
  HttpServerResponse.jsonUnsafe({ _tag: "Refused", ...problem }, { status })

/** Headers of every answer: what the page may load is its own. */
const safe = HttpServerResponse.setHeaders({
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store"
})

/** Stands before every route, and before there is none. Whatever goes wrong behind it is told like every other refusal. */
export const guard =
  (options: GuardOptions) =>
  <E, R>(next: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      // Answers that no handler makes are written further out; what is done just before the writing meets them too.
      yield* HttpEffect.appendPreResponseHandler((_, response) => Effect.succeed(safe(response)))
      const path = pathOf(request.url)
      const refusal = judge({ method: request.method, path, headers: request.headers }, options)
      if (refusal !== null) return refuse(refusal)
      return yield* next.pipe(
        Effect.catch((error) => (isNoRoute(error) ? Effect.succeed(refuse(noRoute(path))) : Effect.fail(error))),
        Effect.catchDefect((defect) => Effect.map(refusalOf(defect), refuse))
      )
    })

const isNoRoute = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

const noRoute = (path: string): Refusal => ({
  status: 404,
  what: "there is nothing of this method at this path",
  where: path,
  hint: "docs/api.md lists what there is"
})

/** What cannot be read is the caller's mistake; anything else is a bug of ours, and the log has it. */
const refusalOf = (defect: unknown): Effect.Effect<Refusal> => {
  if (HttpApiError.HttpApiSchemaError.is(defect)) {
    const { cause, kind } = defect
    return Effect.succeed({ status: 400, what: cause.message, where: kind.toLowerCase(), hint: "see the named keys" })
  }
  if (HttpServerError.isHttpServerError(defect) && defect.reason._tag === "RequestParseError") {
    return Effect.succeed(defect.reason.reason === "BodyTooLarge" ? tooLarge : unreadable)
  }
  return Effect.as(
    Effect.logError("a request crashed").pipe(Effect.annotateLogs({ cause: Cause.pretty(Cause.die(defect)) })),
    crashed
  )
}

const tooLarge: Refusal = { status: 413, what: "the body is too large", where: "body", hint: "send at most 1 MiB" }
const unreadable: Refusal = { status: 400, what: "the body cannot be read", where: "body", hint: "send it whole" }
const crashed: Refusal = { status: 500, what: "a defect", where: "the gateway", hint: "its log has the cause" }
