/** A commit whose answer got lost: it is kept, and said not to be. What is kept is begun all the same. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { Ticker } from "../../src/actors/Ticker.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { StoreError } from "../../src/domain/Errors.ts"
import type { Job } from "../../src/domain/Job.ts"
import { JobId } from "../../src/domain/Job.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { quiet, world } from "./world.ts"

/** The first write of this name is committed, and its answer is that it failed. */
const losing = (operation: string) =>
  Effect.map(Database, (database) => {
    let lost = false
    return Database.of({
      ...database,
      write: (name, body) =>
        Effect.suspend(() => {
          const written = database.write(name, body)
          if (name !== operation || lost) return written
          lost = true
          return Effect.andThen(
            written,
            Effect.fail(new StoreError({ operation, detail: "the answer got lost", unusable: false }))
          )
        })
    })
  })

const inWorldThatLoses =
  (operation: string) =>
  <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const database = yield* losing(operation)
      const graph = Layer.provideMerge(Ticker.layer({ scope: "chat" }), world({ database }))
      return yield* test.pipe(Effect.scoped, Effect.provide(graph))
    }).pipe(Effect.provide(Store.layerMemory))

const attachedAs = Effect.fnUntraced(function* (shape: FakePlatform.Shape) {
  const fake = yield* FakePlatform.make({ shape })
  yield* (yield* Supervisor).attach(fake.platform)
  yield* fake.awaitConnects(1)
  return fake
})
const attached = attachedAs("socket")

const handOver = Effect.andThen(
  Effect.flatMap(Supervisor, (supervisor) => supervisor.reconnect(PlatformId.make("fake"))),
  quiet
)

const textsOf = (fake: FakePlatform.FakePlatform) =>
  Effect.map(fake.sent, (sent) => sent.map((message) => message.text))

const hourly: Job = {
  id: JobId.make("hourly"),
  schedule: "@hourly",
  timezone: "UTC",
  deliverTo: { platform: PlatformId.make("fake"), chat: "c1", thread: null },
  action: { _tag: "Text", text: "an hour" },
  misfire: { policy: "once", withinMillis: null },
  overlap: "skip",
  source: "api",
  createdAt: 0
}

describe("a commit whose answer got lost", () => {
  it.effect("of a message: it is answered once, and needs no further message to be", () =>
    Effect.gen(function* () {
      const fake = yield* attached

      yield* fake.say("hello")
      yield* quiet
      yield* TestClock.adjust("5 seconds")
      yield* quiet

      assert.deepStrictEqual(yield* textsOf(fake), ["echo: hello"])
    }).pipe(inWorldThatLoses("accept"))
  )

  it.effect("of a message that never comes again, for the platform's stream stands behind it: it is answered", () =>
    Effect.gen(function* () {
      const fake = yield* attachedAs("resume")

      yield* fake.say("hello")
      yield* quiet
      // The second hand-over ends the link that would have asked the store again.
      yield* handOver
      yield* handOver
      yield* TestClock.adjust("1 minute")
      yield* quiet

      assert.deepStrictEqual(yield* textsOf(fake), ["echo: hello"])
    }).pipe(inWorldThatLoses("accept"))
  )

  it.effect("of a turn's end: its replies go out once", () =>
    Effect.gen(function* () {
      const fake = yield* attached

      yield* fake.say("hello")
      yield* quiet
      yield* TestClock.adjust("5 seconds")
      yield* quiet

      assert.deepStrictEqual(yield* textsOf(fake), ["echo: hello"])
    }).pipe(inWorldThatLoses("finish"))
  )

  it.effect("of a job's decision: it acts once, without waiting for the next", () =>
    Effect.gen(function* () {
      const fake = yield* attached
      yield* (yield* JobStore).put(hourly)
      yield* (yield* Ticker).refresh
      yield* quiet

      yield* TestClock.adjust("1 hour")
      yield* quiet
      yield* TestClock.adjust("10 seconds")
      yield* quiet

      assert.deepStrictEqual(yield* textsOf(fake), ["an hour"])
    }).pipe(inWorldThatLoses("decide"))
  )
})
