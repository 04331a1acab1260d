/** 100,000 sessions that spoke once and rest: the fibers and the heap that they cost. */
import { Duration, Effect, Layer, Logger, Stream } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Inbox } from "../src/actors/Inbox.ts"
import { Supervisor } from "../src/actors/Supervisor.ts"
import { Agent } from "../src/agents/Agent.ts"
import { PlatformId } from "../src/domain/Address.ts"
import type { MessageArrived } from "../src/domain/Inbound.ts"
import * as Gateway from "../src/layers/Gateway.ts"
import * as Store from "../src/layers/Store.ts"
import { InboxStore } from "../src/store/InboxStore.ts"
import * as Census from "../src/testing/Census.ts"
import * as FakePlatform from "../src/testing/FakePlatform.ts"

const sessions = 100_000
const together = 500

const silent = Layer.succeed(Agent, Agent.of({ turn: () => Stream.empty }))

const eventOf = (index: number): MessageArrived => ({
  _tag: "MessageArrived",
  platform: PlatformId.make("fake"),
  eventId: `e${index}`,
  messageId: `m${index}`,
  revision: 0,
  chat: { id: `c${index}`, type: "direct" },
  thread: null,
  sender: { id: `u${index}`, name: null, kind: "person" },
  text: "hello",
  attachments: [],
  mentioned: false,
  replyTo: null,
  sentAt: Date.now()
})

const heap = (): number => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

const rest = Effect.gen(function* () {
  const store = yield* InboxStore
  while ((yield* store.waiting).length > 0) yield* Effect.sleep("50 millis")
  yield* Effect.sleep("1 second")
})

const folder = mkdtempSync(join(tmpdir(), "evergate-bench-"))
await Effect.gen(function* () {
  const census = yield* Census.make
  yield* Effect.gen(function* () {
    const inbox = yield* Inbox
    const fake = yield* FakePlatform.make()
    yield* (yield* Supervisor).attach(fake.platform)
    // The first thousand warm everything up.
    const speak = (from: number, to: number) =>
      Effect.gen(function* () {
        for (let at = from; at < to; at += together) {
          yield* inbox.accept(
            fake.platform,
            Array.from({ length: together }, (_, index) => eventOf(at + index))
          )
        }
        yield* rest
      })
    yield* speak(0, 1_000)
    const fibersBefore = yield* census.alive
    const heapBefore = heap()
    yield* speak(1_000, 1_000 + sessions)
    const heapAfter = heap()
    const fibers = (yield* census.alive) - fibersBefore
    console.log(
      `${sessions} resting sessions: ${fibers} fibers (0), ${(heapAfter - heapBefore).toFixed(2)} MiB of heap (at most 5)`
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Gateway.layer({ drain: Duration.zero }).pipe(
        Layer.provide(silent),
        Layer.provideMerge(Store.layerSqlite({ filename: join(folder, "bench.db") })),
        Layer.provideMerge(Logger.layer([])),
        Layer.provideMerge(census.layer)
      )
    )
  )
}).pipe(Effect.runPromise)
rmSync(folder, { recursive: true })
