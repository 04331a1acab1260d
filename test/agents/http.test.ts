/** The agent elsewhere, on virtual time: what it is asked, how its answers read, and when it is asked again. */
import { describe, expect, it } from "@effect/vitest"
import { layerMac } from "@effect/platform-node/NodeCrypto"
import { Clock, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { Agent } from "../../src/agents/Agent.ts"
import * as Http from "../../src/agents/http.ts"
import { turn } from "./turn.ts"

interface Asked {
  readonly at: number
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** A server that gives these answers in turn, the last one again and again. */
const server = (...answers: ReadonlyArray<() => Response>) => {
  const asked: Array<Asked> = []
  const client = HttpClient.make((request) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      asked.push({ at, url: request.url, headers: request.headers, body: bodyOf(request) })
      const answer = answers[Math.min(asked.length, answers.length) - 1]
      return HttpClientResponse.fromWeb(request, answer?.() ?? new Response(null, { status: 500 }))
    })
  )
  return { asked, layer: Layer.merge(Layer.succeed(HttpClient.HttpClient, client), layerMac) }
}

const bodyOf = ({ body }: HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const json = (body: unknown) => () => Response.json(body)
const status =
  (code: number, headers: Record<string, string> = {}, body = "") =>
  () =>
    new Response(code === 204 ? null : body, { status: code, headers })

const url = "https://agent.example/turn"

const ask = (options: Partial<Http.HttpAgentOptions> = {}) =>
  Effect.gen(function* () {
    return yield* Stream.runCollect((yield* Agent).turn(turn))
  }).pipe(Effect.provide(Http.layer({ url, secret: null, ...options })))

describe("the http agent", () => {
  it.effect("POSTs the contract's JSON and headers", () =>
    Effect.gen(function* () {
      const { asked, layer } = server(json({ text: "hi" }))

      yield* Effect.provide(ask(), layer)

      expect(asked[0]?.url).toBe(url)
      expect(JSON.parse(asked[0]?.body ?? "")).toEqual(turn)
      expect(asked[0]?.headers).toMatchObject({
        "content-type": "application/json",
        "evergate-turn": "t_01J",
        "evergate-attempt": "2"
      })
      expect(asked[0]?.headers["evergate-signature"]).toBeUndefined()
    })
  )

  it.effect("signs time and body where there is a secret", () =>
    Effect.gen(function* () {
      const { asked, layer } = server(json({}))
      yield* TestClock.setTime(1_764_532_800_500)

      yield* Effect.provide(ask({ secret: Redacted.make("s3cret") }), layer)

      const expected = createHmac("sha256", "s3cret").update(`1764532800.${asked[0]?.body}`).digest("hex")
      expect(asked[0]?.headers["evergate-signature"]).toBe(`t=1764532800,v1=${expected}`)
    })
  )

  it.effect.each([
    ["one text", json({ text: "hi" }), ["hi"]],
    ["several messages", json({ messages: [{ text: "a" }, { text: "b" }] }), ["a", "b"]],
    ["an empty object", json({}), []],
    ["204", status(204), []]
  ] as const)("takes %s", ([, answer, texts]) =>
    Effect.gen(function* () {
      const replies = yield* Effect.provide(ask(), server(answer).layer)

      expect(replies.map(({ text }) => text)).toEqual(texts)
    })
  )

  it.effect.each([
    ["an error", status(500, {}, "boom"), 'it answered with 500: "boom"'],
    ["a redirect", status(302, { location: "http://169.254.169.254/" }), "it answered with 302"],
    ["text that is no JSON", status(200, {}, "<html>"), 'or {}: "<html>"'],
    ["JSON of another shape", json({ text: 5 }), "it did not answer with"],
    [
      "an event stream",
      status(200, { "content-type": "text/event-stream" }),
      "text/event-stream, which is not built yet"
    ]
  ] as const)("%s is a failed turn with its cause, and is not repeated", ([, answer, cause]) =>
    Effect.gen(function* () {
      const { asked, layer } = server(answer)

      const error = yield* Effect.flip(Effect.provide(ask(), layer))

      expect(error.detail).toContain(cause)
      expect(asked).toHaveLength(1)
    })
  )

  it.effect.each([429, 503])("%d is asked again as told", (code) =>
    Effect.gen(function* () {
      const busy = status(code, { "retry-after": "7" })
      const { asked, layer } = server(busy, status(code), json({ text: "hi" }))

      const asking = yield* Effect.forkChild(Effect.provide(ask(), layer))
      yield* TestClock.adjust("1 minute")

      expect(yield* Fiber.join(asking)).toEqual([{ text: "hi" }])
      expect(asked.map(({ at }) => at)).toEqual([0, 7_000, 8_000])
      expect(new Set(asked.map(({ headers }) => headers["evergate-turn"])).size).toBe(1)
    })
  )

  it.effect("after three more tries a busy server is a failed turn", () =>
    Effect.gen(function* () {
      const { asked, layer } = server(status(503, { "retry-after": "1" }))

      const asking = yield* Effect.forkChild(Effect.flip(Effect.provide(ask(), layer)))
      yield* TestClock.adjust("1 minute")

      expect((yield* Fiber.join(asking)).detail).toContain("503")
      expect(asked).toHaveLength(4)
    })
  )

  it.effect("F210: a name and password in the URL go into a header and into no error", () =>
    Effect.gen(function* () {
      const { asked, layer } = server(status(500))

      const error = yield* Effect.flip(
        Effect.provide(ask({ url: "https://me:hunter2@agent.example/turn?key=k3y" }), layer)
      )

      expect(asked[0]?.headers["authorization"]).toBe(`Basic ${Buffer.from("me:hunter2").toString("base64")}`)
      expect(asked[0]?.url).not.toContain("hunter2")
      expect(`${error.message} ${JSON.stringify(error)}`).not.toMatch(/hunter2|k3y/)
    })
  )
})
