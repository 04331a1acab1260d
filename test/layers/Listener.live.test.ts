/** The listener under its routes: before they are there, and after it was closed under them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import type { Server } from "node:http"
import * as net from "node:net"
import { Supervision } from "../../src/actors/Supervision.ts"
import { Listener } from "../../src/layers/Listener.ts"
import { makeServer } from "../../src/layers/nodeServer.ts"
import { ask } from "../asking.ts"
import { until } from "../service.ts"

const here = { host: "127.0.0.1", port: 0 } as const

const url = Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))

/** A listener that is kept, with one route; its server is in the test's hand. */
const kept = (use: (node: Server) => void) => {
  const make = () => {
    const node = makeServer()
    use(node)
    return node
  }
  const routes = Layer.effectDiscard(HttpServer.serveEffect(Effect.succeed(HttpServerResponse.text("here"))))
  return Listener.kept.pipe(
    Layer.provideMerge(routes),
    Layer.provideMerge(Listener.layer({ ...here, make })),
    Layer.provideMerge(Supervision.layer)
  )
}

/** Nothing else lives here. */
const partIn = ({ parts }: Supervision["Service"]) => Effect.map(parts, ([part]) => part)

/** Nobody may be there. */
const tried = (target: string) =>
  Effect.map(Effect.exit(ask(target)), (exit) => (exit._tag === "Success" ? exit.value.text : "nobody"))

/** What happens to the server under its routes. */
const ends: ReadonlyArray<readonly [name: string, end: (node: Server) => void]> = [
  ["closed", (node) => void node.close()],
  ["failing", (node) => void node.emit("error", new Error("accept EMFILE"))]
]

describe("the listener", () => {
  it.live("answers 503 while its routes are not there, in place of leaving a request without an answer", () =>
    Effect.gen(function* () {
      const response = yield* ask(`${yield* url}/livez`)

      assert.strictEqual(response.status, 503)
      assert.containSubset(response.json, { what: "the gateway starts or stops", hint: "ask again in a second" })
    }).pipe(Effect.provide(Listener.layer(here)))
  )

  it.live.each(ends)("%s under its routes, it listens again on the same port and they answer", ([, end]) => {
    let server: Server | undefined
    return Effect.gen(function* () {
      const target = yield* url
      const before = yield* ask(target)
      end(server ?? assert.fail("no server"))
      const gone = yield* tried(target)
      const after = yield* until(tried(target), (text) => text === "here")

      assert.deepStrictEqual([before.text, gone, after], ["here", "nobody", "here"])
      assert.containSubset(yield* partIn(yield* Supervision), { name: "http server", restarts: 1, overdueMillis: null })
    }).pipe(Effect.provide(kept((node) => (server = node))))
  })

  it.live("where another took its port meanwhile, it tries until that is free again", () => {
    let server: Server | undefined
    return Effect.gen(function* () {
      const target = yield* url
      server?.close()
      const other = yield* occupied(Number(new URL(target).port))
      yield* until(partIn(yield* Supervision), (part) => (part?.restarts ?? 0) > 1)
      other.close()

      assert.strictEqual(yield* until(tried(target), (text) => text === "here"), "here")
    }).pipe(Effect.provide(kept((node) => (server = node))))
  })
})

const occupied = (port: number): Effect.Effect<net.Server> =>
  Effect.callback((resume) => {
    const server = net.createServer((socket) => socket.destroy())
    server.listen(port, here.host, () => resume(Effect.succeed(server)))
  })
