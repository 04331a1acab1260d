/** What the gateway's own doctor reads: the database that is open, by the connection that it has. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Machine } from "../../src/doctor/Machine.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import { machine } from "../../src/layers/selfExamination.ts"
import * as Store from "../../src/layers/Store.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"

const address = { platform: PlatformId.make("local"), chat: "me", thread: null }

describe("the gateway's own doctor", () => {
  it.effect("reads the store through and what is kept of troubles", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* outbox.post({ id: DeliveryId.make("d_1"), address, text: "hello", replyTo: null }, null, 1_000)
      yield* outbox.post({ id: DeliveryId.make("d_2"), address, text: "again", replyTo: null }, null, 2_000)
      yield* outbox.bury(1, "the chat is gone", 3_000)

      const view = yield* (yield* Machine).store("evergate.db", ["local"], 1)

      assert.containSubset(view, {
        integrity: "sound",
        kept: { dead: { count: 1, newest: [{ id: "d_1" }] }, pending: { count: 1, oldestAt: 2_000 }, jobs: [] }
      })
    }).pipe(Effect.provide(Layer.provideMerge(Layer.merge(OutboxStore.layer, machine), Store.layerMemory)))
  )
})
