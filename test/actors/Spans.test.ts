import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Outbox } from "../../src/actors/Outbox.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import type { Span } from "../../src/actors/Spans.ts"
import * as Spans from "../../src/actors/Spans.ts"
import { rootSpanIdOf, traceIdOf } from "../../src/domain/traceId.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { echo, inWorld, quiet } from "./world.ts"

describe("a trace", () => {
  it.effect("goes on in the next process under the same name, each attempt with a span of its own", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const fake = yield* FakePlatform.make()
      const taken: Array<Span> = []
      const process = <A>(answer: (turn: Turn) => Effect.Effect<string>, life: Effect.Effect<A>) =>
        Effect.flatMap(Supervisor, ({ attach }) => attach(fake.platform)).pipe(
          Effect.andThen(life),
          inWorld({ answer, database, drain: Duration.zero }),
          Effect.provideService(
            Spans.Spans,
            Spans.make((span) => void taken.push(span))
          )
        )
      yield* process(() => Effect.never, Effect.andThen(fake.say("hello"), Effect.andThen(fake.awaitAcked(1), quiet)))
      yield* process(echo, fake.awaitSent(1))

      const [message] = taken
      const traceId = message?.traceId ?? ""
      assert.deepStrictEqual(
        taken.map(({ attributes, name }) => [name, attributes["evergate.attempt"]]),
        [
          ["message", undefined],
          ["stored", undefined],
          ["acknowledged", undefined],
          ["queued", undefined],
          ["turn", 2],
          ["sent", 1]
        ]
      )
      assert.deepStrictEqual([...new Set(taken.map((span) => span.traceId))], [traceId])
      assert.deepStrictEqual(
        taken.map(({ parentId }) => parentId),
        [null, ...taken.slice(1).map(() => rootSpanIdOf(traceId))]
      )
      assert.containSubset(message, { spanId: rootSpanIdOf(traceId), attributes: { "evergate.address": "fake:c1" } })
      assert.notInclude(JSON.stringify(taken), "hello")
    }).pipe(Effect.provide(Store.layerMemory))
  )

  it.effect("of what no turn said has nothing above it", () =>
    Effect.gen(function* () {
      const taken: Array<Span> = []
      const sent = Effect.gen(function* () {
        const fake = yield* FakePlatform.make()
        yield* (yield* Supervisor).attach(fake.platform)
        const to = { platform: fake.platform.id, chat: "c1", thread: null }
        const id = yield* (yield* Outbox).post({ to, text: "hello" })
        yield* fake.awaitSent(1)
        return traceIdOf(id)
      })
      const traceId = yield* sent.pipe(
        inWorld(),
        Effect.provideService(
          Spans.Spans,
          Spans.make((span) => void taken.push(span))
        )
      )

      assert.containSubset(taken, [{ name: "sent", traceId, parentId: null, error: null }])
      assert.strictEqual(taken.length, 1)
    })
  )
})
