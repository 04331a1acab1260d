/**
 * Feishu in memory, for virtual time: the same far end as on loopback, behind a `Transport` and an `HttpClient` without
 * sockets. The real adapter runs over it under `TestClock` and the simulator's clock.
 */
import type { Scope } from "effect"
import { Effect, Layer, Queue } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import { ConnectionRefused } from "../../domain/LinkError.ts"
import type { Transport } from "../../platforms/Transport.ts"
import type { HttpAnswer } from "../HttpAnswer.ts"
import { hang } from "../HttpAnswer.ts"
import type { NetworkFault } from "../MemoryHttp.ts"
import * as MemoryHttp from "../MemoryHttp.ts"
import type { Answer, FarEnd, MemoryTransport } from "../MemoryTransport.ts"
import * as Memory from "../MemoryTransport.ts"
import type { FakeFeishu } from "./FakeFeishu.ts"
import * as Fake from "./FakeFeishu.ts"
import type { Options } from "./options.ts"

/** The network between here and Feishu. `refused`: every new connection fails at once; `silent`: nothing passes at all. */
export type Network = "up" | "refused" | "silent"

export interface MemoryFeishu extends FakeFeishu {
  /** What an adapter's `domain` is set to. */
  readonly url: string
  readonly layer: Layer.Layer<Transport | HttpClient>
  /** The sockets themselves, for what concerns no protocol. */
  readonly sockets: MemoryTransport
  /** Sockets that were up when it fell silent stay half-open for good. */
  readonly network: (state: Network) => Effect.Effect<void>
  /** The process behind the sockets is gone, without a word: the far end lets go of all of them. */
  readonly abandon: Effect.Effect<void>
}

const url = "https://memory.feishu.test"

export const make = Effect.fnUntraced(function* (
  options: Partial<Options> = {}
): Effect.fn.Return<MemoryFeishu, never, Scope.Scope> {
  const fake = yield* Fake.make(options, { socket: () => "wss://memory.feishu.test/ws/v2" })
  const scope = yield* Effect.scope
  const ends = new Map<FarEnd, Effect.Effect<void>>()
  const sockets = yield* Memory.make((far) =>
    Effect.gen(function* () {
      const { receive, gone } = yield* fake.attach(far)
      const end = Effect.andThen(
        gone,
        Effect.sync(() => ends.delete(far))
      )
      ends.set(far, Effect.andThen(end, far.drop))
      const reading = Effect.forever(Effect.flatMap(Queue.take(far.received), receive))
      yield* Effect.raceFirst(reading, far.ended).pipe(Effect.andThen(end), Effect.forkIn(scope))
    })
  )
  let network: Network = "up"

  const decide: Effect.Effect<Answer> = Effect.suspend(() => {
    switch (network) {
      case "up":
        return Effect.map(fake.upgrades.take, (upgrade) => upgrade ?? Memory.accept)
      case "refused":
        return Effect.succeed(refused)
      case "silent":
        return Effect.succeed(unanswered)
    }
  })
  const http = MemoryHttp.make((asked) => {
    switch (network) {
      case "up":
        return fake.exchange.answer(asked)
      case "refused":
        return Effect.succeed<HttpAnswer | NetworkFault>({ _tag: "Fault", code: "ECONNREFUSED" })
      case "silent":
        return Effect.succeed(hang)
    }
  })
  yield* sockets.answer(() => decide)

  return {
    ...fake,
    url,
    layer: Layer.merge(sockets.layer, Layer.succeed(HttpClient, http)),
    sockets,
    network: (state) =>
      Effect.gen(function* () {
        network = state
        if (state === "silent") yield* Effect.forEach(yield* sockets.open, (far) => far.goSilent, { discard: true })
      }),
    abandon: Effect.suspend(() => Effect.all(Array.from(ends.values()), { discard: true }))
  }
})

const unanswered: Answer = { _tag: "Hang" }
const refused: Answer = { _tag: "Fail", reason: new ConnectionRefused({ address: "memory.feishu.test:443" }) }
