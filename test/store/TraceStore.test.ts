import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import { TurnId } from "../../src/domain/Turn.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import { entry, feishu, memory, message, reply, session } from "./fixtures.ts"

const stores = TraceStore.layer.pipe(Layer.provideMerge(memory))

const turn = TurnId.make("t_01J00000000000000000000001")
const answered = (id: string) => ({ outcome: "ok", error: null, replies: [reply(id)], endedAt: 3000 }) as const
const first = entry(message("e1"), { turn })

describe("what the store knows of one message", () => {
  it.effect("is found by message id, event id, turn, delivery and the id of what was sent", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore
      const store = yield* TraceStore
      yield* inbox.accept([first])
      yield* inbox.take(session, 2000)
      yield* inbox.finish({ seq: 1, ...answered(`${turn}-0`) })
      yield* outbox.delivered({ seq: 1, address: reply("x").address }, "om_sent", 4000)

      const ids = ["om_e1", "e1", turn, `${turn}-0`, "om_sent"]
      const found = yield* Effect.forEach(ids, store.trace)

      for (const { deliveries, entries, refused } of found) {
        assert.deepStrictEqual([deliveries, refused], [[], []])
        assert.containSubset(entries, [
          {
            messageId: "om_e1",
            turn,
            receivedAt: 1000,
            attempts: 1,
            begunAt: 2000,
            endedAt: 3000,
            outcome: "ok",
            replies: [{ id: `${turn}-0`, state: "delivered", messageId: "om_sent", endedAt: 4000 }]
          }
        ])
      }
    }).pipe(Effect.provide(stores))
  )

  it.effect("of a message that is gone is what answered it", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const store = yield* TraceStore
      const { sql } = yield* Database
      yield* inbox.accept([first])
      yield* inbox.finish({ seq: 1, ...answered(`${turn}-0`), replies: [reply(`${turn}-0`, { replyTo: "om_e1" })] })
      yield* sql`DELETE FROM inbox`

      const found = yield* Effect.forEach(["om_e1", turn, `${turn}-0`], store.trace)

      assert.deepStrictEqual(
        found.map(({ deliveries, entries }) => [entries.length, deliveries.map(({ id }) => id)]),
        ["om_e1", turn, `${turn}-0`].map(() => [0, [`${turn}-0`]])
      )
    }).pipe(Effect.provide(stores))
  )

  it.effect("F226: a refused message is found by either id, with the reason", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const store = yield* TraceStore
      const refused = { platform: feishu, eventId: "e1", messageId: "om_e1", reason: "bot not mentioned", at: 1000 }
      yield* inbox.refuse([refused])

      const found = yield* Effect.forEach(["e1", "om_e1"], store.trace)

      for (const traced of found) assert.containSubset(traced, { entries: [], refused: [refused], deliveries: [] })
    }).pipe(Effect.provide(stores))
  )

  it.effect("counts the copies of a message, by whichever id they were known", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const store = yield* TraceStore
      yield* inbox.accept([first])
      yield* inbox.accept([first, entry(message("e1_again", { messageId: "om_e1" }))])

      const { entries } = yield* store.trace("om_e1")

      assert.containSubset(entries, [{ eventId: "e1", copies: 2 }])
    }).pipe(Effect.provide(stores))
  )

  it.effect("names what its session has to do first, and the link that it came on", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const links = yield* LinkStore
      const store = yield* TraceStore
      const change = { kind: null, message: null, attempt: 0, nextAttemptAt: null }
      yield* links.record(feishu, { ...change, at: 500, state: "connected" })
      yield* links.record(feishu, { ...change, at: 1500, state: "connected" })
      yield* inbox.accept([first, entry(message("e2")), entry(message("e3"))])
      yield* inbox.take(session, 2000)

      const { entries } = yield* store.trace("e3")

      assert.containSubset(entries, [
        {
          linkSince: 500,
          before: [
            { turn, begunAt: 2000 },
            { turn: "t_feishu_e2", begunAt: null }
          ]
        }
      ])
    }).pipe(Effect.provide(stores))
  )

  it.effect("counts what a chat has to be told before a delivery", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      const store = yield* TraceStore
      const elsewhere = { platform: PlatformId.make("slack"), chat: "oc_1", thread: null }
      yield* outbox.post(reply("d_1"), null, 1000)
      yield* outbox.post(reply("d_2", { address: elsewhere }), null, 1000)
      yield* outbox.post(reply("d_3"), null, 1000)

      const found = yield* Effect.forEach(["d_1", "d_2", "d_3"], store.trace)

      assert.deepStrictEqual(
        found.map(({ deliveries }) => deliveries.map(({ ahead }) => ahead)),
        [[0], [0], [1]]
      )
    }).pipe(Effect.provide(stores))
  )

  it.effect("is nothing where nothing is known", () =>
    Effect.gen(function* () {
      const found = yield* (yield* TraceStore).trace("om_nowhere")

      assert.deepStrictEqual(found, { entries: [], refused: [], deliveries: [] })
    }).pipe(Effect.provide(stores))
  )
})
