/** Requests over real HTTP, with headers that a browser or `fetch` would not let through. */
import type { Scope } from "effect"
import { Deferred, Effect } from "effect"
import type { OutgoingHttpHeaders } from "node:http"
import { request } from "node:http"

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  /** What the text says as JSON; undefined where it is none. */
  readonly json: unknown
}

export interface Asking {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  /** Sent as it is. */
  readonly body?: string
}

/** One request on a connection of its own; dies where nobody answers. */
export const ask = (url: string, { method = "GET", headers = {}, body }: Asking = {}): Effect.Effect<Answered> =>
  Effect.callback((resume) => {
    const asked = request(url, { method, headers, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      })
      response.on("end", () =>
        resume(
          Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) })
        )
      )
    })
    asked.on("error", (error) => resume(Effect.die(error)))
    asked.end(body)
    return Effect.sync(() => void asked.destroy())
  })

/** A JSON request as a script makes it. */
export const post = (url: string, body: unknown, headers: OutgoingHttpHeaders = {}): Effect.Effect<Answered> =>
  ask(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer that goes on. */
export interface Streamed {
  readonly status: number
  readonly headers: Answered["headers"]
  /** All that came so far. */
  readonly text: () => string
  readonly ended: Effect.Effect<void>
}

/** Asks, and returns once the answer has begun; the connection ends with the scope. */
export const stream = (url: string): Effect.Effect<Streamed, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<void>()
    const asked = yield* Effect.acquireRelease(
      Effect.sync(() => request(url, { agent: false })),
      (asked) => Effect.sync(() => asked.destroy())
    )
    return yield* Effect.callback<Streamed>((resume) => {
      asked.on("response", (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        response.on("error", () => {})
        response.on("close", () => Deferred.doneUnsafe(ended, Effect.void))
        const { statusCode = 0, headers } = response
        resume(Effect.succeed({ status: statusCode, headers, text: () => text, ended: Deferred.await(ended) }))
      })
      asked.on("error", () => Deferred.doneUnsafe(ended, Effect.void))
      asked.end()
    })
  })
