/** Nothing grows with reconnects: real sockets, counted on both sides. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Queue, Schedule } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import * as Egress from "../../src/layers/Egress.ts"
import { Transport } from "../../src/platforms/Transport.ts"
import * as Feishu from "../../src/testing/feishu/FeishuPeer.ts"
import { page } from "../../src/testing/HttpAnswer.ts"
import type { Line } from "../../src/testing/Line.ts"
import * as Peer from "../../src/testing/Peer.ts"
import { ask, post } from "../asking.ts"
import { served } from "../http/served.ts"
import { feishuOf, until } from "../service.ts"

/** Sockets, timers and whatever else keeps the event loop, by kind. */
const resources = Effect.sync(() => {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
})

describe("connections that end", () => {
  it.live("F228: one account that is stopped and started twenty times has one socket", () =>
    Effect.gen(function* () {
      const peer = yield* Feishu.make()
      const { url } = yield* served({ platforms: [feishuOf(peer)] })
      const connected = until(ask(`${url}/readyz`), ({ status }) => status === 200)
      yield* connected

      const open = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.gen(function* () {
          yield* post(`${url}/api/platforms/feishu/stop`, {})
          const stopped = (yield* until(peer.lines, (lines) => lines.length === 0)).length
          yield* post(`${url}/api/platforms/feishu/start`, {})
          yield* connected
          return [stopped, (yield* until(peer.lines, (lines) => lines.length > 0)).length]
        })
      )

      assert.deepStrictEqual(
        open,
        open.map(() => [0, 1])
      )
    })
  )

  it.live("F229: a thousand short ones leave no timer and no socket behind", () =>
    Effect.gen(function* () {
      const lines = yield* Queue.unbounded<Line>()
      const gone = { receive: () => Effect.void, gone: Effect.void }
      const port = yield* Peer.serve({
        http: () => Effect.succeed(page(404, "")),
        upgrade: Effect.succeed(null),
        socket: (line) => Effect.as(Queue.offer(lines, line), gone)
      })
      const transport = yield* Transport
      const options = { platform: PlatformId.make("p"), url: `ws://127.0.0.1:${port}/`, timeout: Duration.seconds(5) }
      const short = Effect.scoped(Effect.andThen(transport.open(options), Queue.take(lines)))
      yield* Effect.repeat(short, Schedule.recurs(20))
      const before = yield* until(resources, ({ TCPSocketWrap = 0 }) => TCPSocketWrap === 0)

      yield* Effect.forEach(Array.from({ length: 1_000 }), () => short, { concurrency: 20, discard: true })

      const after = yield* until(resources, ({ TCPSocketWrap = 0 }) => TCPSocketWrap === 0)
      assert.isAtMost(after["Timeout"] ?? 0, (before["Timeout"] ?? 0) + 2)
      const others = Object.keys(after).filter((kind) => kind !== "Timeout" && before[kind] === undefined)
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.scoped, Effect.provide(Egress.layer({ proxy: "none" })))
  )
})
