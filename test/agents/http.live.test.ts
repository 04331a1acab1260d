/** The agent elsewhere over real sockets: what does not arrive, and what is too much. */
import { layerMac } from "@effect/platform-node/NodeCrypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import type { RequestListener } from "node:http"
import { createServer } from "node:http"
import { Agent } from "../../src/agents/Agent.ts"
import * as Http from "../../src/agents/http.ts"
import * as Egress from "../../src/layers/Egress.ts"
import { turn } from "./turn.ts"

const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: Effect.Effect<void> }>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        const close = Effect.callback<void>((done) => {
          server.close(() => done(Effect.void))
          server.closeAllConnections()
        })
        resume(Effect.succeed({ port, close }))
      })
    }),
    ({ close }) => close
  )

/** By the road that the service's turns leave by. */
const node = Layer.merge(Egress.layer({ proxy: "none" }), layerMac)

const ask = (url: string) =>
  Effect.gen(function* () {
    return yield* Stream.runCollect((yield* Agent).turn(turn))
  }).pipe(Effect.provide(Http.layer({ url, secret: Redacted.make("s3cret") })), Effect.provide(node))

describe("the http agent over sockets", () => {
  it.live("speaks with a server", () =>
    Effect.gen(function* () {
      const { port } = yield* serving((request, response) => {
        request
          .resume()
          .on("end", () => response.end(JSON.stringify({ text: String(request.headers["evergate-turn"]) })))
      })

      expect(yield* ask(`http://127.0.0.1:${port}/`)).toEqual([{ text: "t_01J" }])
    })
  )

  it.live("an answer of more than 1 MiB is a failed turn", () =>
    Effect.gen(function* () {
      const { port } = yield* serving((request, response) => {
        request.resume().on("end", () => response.end(JSON.stringify({ text: "x".repeat(2 * 1024 * 1024) })))
      })

      const error = yield* Effect.flip(ask(`http://127.0.0.1:${port}/`))

      expect(error.detail).toContain("could not be read")
    })
  )

  it.live("an answer that never ends is a failed turn before it fills the memory", () =>
    Effect.gen(function* () {
      let sent = 0
      const { port } = yield* serving((_, response) => {
        const more = () => {
          while (response.write("x".repeat(65_536))) sent += 65_536
        }
        response.on("drain", more)
        more()
      })

      const error = yield* Effect.flip(ask(`http://127.0.0.1:${port}/`))

      expect(error.detail).toContain("could not be read")
      expect(sent).toBeLessThan(64 * 1024 * 1024)
    })
  )

  it.live("a server that is not there is a failed turn that names the host", () =>
    Effect.gen(function* () {
      const { port, close } = yield* serving(() => {})
      yield* close

      const error = yield* Effect.flip(ask(`http://me:hunter2@127.0.0.1:${port}/?key=k3y`))

      expect(error.detail).toContain(`127.0.0.1:${port} did not answer`)
      expect(error.detail).toContain("refused the connection")
      expect(error.detail).not.toMatch(/hunter2|k3y/)
    })
  )
})
