import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import { entry, feishu, memory, message, reply } from "./fixtures.ts"

const chat = { platform: feishu, chat: "oc_1", thread: null }

const post = (id: string, change?: Parameters<typeof reply>[1]) =>
  Effect.flatMap(OutboxStore, (outbox) => outbox.post(reply(id, change), null, 1000))

const next = Effect.gen(function* () {
  const outbox = yield* OutboxStore
  return Option.getOrThrow(yield* outbox.next(feishu, "oc_1"))
})

describe("OutboxStore", () => {
  it.effect("gives the oldest pending message of a chat back as it was posted", () =>
    Effect.gen(function* () {
      yield* post("d1", { address: { ...chat, thread: "omt_1" }, replyTo: "om_1" })
      yield* post("d2")

      expect(yield* next).toEqual({
        seq: 1,
        id: "d1",
        address: { platform: "feishu", chat: "oc_1", thread: "omt_1" },
        text: "says d1",
        replyTo: "om_1",
        state: "pending",
        attempts: 0,
        createdAt: 1000,
        notBefore: 1000,
        unknownAt: null,
        unknown: false,
        deliveredAt: null,
        messageId: null,
        lastError: null
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("writes a known id down once", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore

      const ids = [yield* post("d1"), yield* post("d1", { text: "other" })]

      expect(ids).toEqual(["d1", "d1"])
      expect((yield* outbox.list("pending", 10)).map(({ text }) => text)).toEqual(["says d1"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a known idempotency key with the id of the first, also when that was delivered", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* outbox.post(reply("d1"), "key", 1000)
      yield* outbox.delivered(yield* next, "om_9", 2000)

      const again = yield* outbox.post(reply("d2"), "key", 3000)

      expect(again).toBe("d1")
      expect(yield* outbox.list("pending", 10)).toEqual([])
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps what a try left behind", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* post("d1")
      const { seq } = yield* next

      yield* outbox.postpone({ seq, notBefore: 5000, error: "no answer", unknownAt: 1500, unknown: true })

      expect(yield* next).toMatchObject({
        attempts: 1,
        notBefore: 5000,
        lastError: "no answer",
        unknownAt: 1500,
        unknown: true,
        state: "pending"
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("ends a message once: what was delivered cannot be buried", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* post("d1")
      const { address, seq } = yield* next

      yield* outbox.delivered({ seq, address }, "om_9", 2000)
      yield* outbox.bury(seq, "too late", 3000)

      const found = Option.getOrThrow(yield* outbox.find(DeliveryId.make("d1")))
      expect(found).toMatchObject({ state: "delivered", messageId: "om_9", deliveredAt: 2000, attempts: 1 })
      expect(yield* outbox.counts).toEqual({ pending: new Map(), delivered: 1, dead: 0 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("a dead letter keeps its reason and lets its lane go on", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* post("d1")
      yield* post("d2")

      yield* outbox.bury((yield* next).seq, "chat not found", 2000)

      expect((yield* next).id).toBe("d2")
      expect(yield* outbox.list("dead", 10)).toMatchObject([
        { id: "d1", state: "dead", lastError: "chat not found", deliveredAt: null }
      ])
    }).pipe(Effect.provide(memory))
  )

  it.effect("names the chats that wait, oldest first, and counts them by platform", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      const slack = PlatformId.make("slack")
      yield* post("d1", { address: { ...chat, chat: "oc_2" } })
      yield* post("d2")
      yield* post("d3", { address: { ...chat, chat: "oc_2" } })
      yield* post("d4", { address: { platform: slack, chat: "C1", thread: null } })

      expect(yield* outbox.lanes(feishu)).toEqual(["oc_2", "oc_1"])
      expect((yield* outbox.counts).pending).toEqual(
        new Map([
          [feishu, 3],
          [slack, 1]
        ])
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("buries a row that does not read back and goes on to the next; a list leaves it out", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      const { sql } = yield* Database
      yield* post("d1")
      yield* post("d2")
      yield* sql`UPDATE outbox SET attempts = 'many' WHERE id = 'd1'`

      const listed = yield* outbox.list("pending", 10)
      const found = yield* next

      const [dead] = yield* sql<{
        state: string
        last_error: string
      }>`SELECT state, last_error FROM outbox WHERE id = 'd1'`
      expect(listed.map(({ id }) => id)).toEqual(["d2"])
      expect(found.id).toBe("d2")
      expect(dead?.state).toBe("dead")
      expect(dead?.last_error).toContain("outbox 1 does not read back")
    }).pipe(Effect.provide(memory))
  )

  it.effect("shows a chat in both directions, oldest first, the newest of it", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore
      yield* inbox.accept([
        entry(message("e1"), { receivedAt: 100 }),
        entry(message("e2"), { receivedAt: 300 }),
        entry(message("e3", { chat: { id: "oc_2", type: "group" } }), { receivedAt: 250 })
      ])
      yield* post("d1")
      yield* outbox.delivered(yield* next, null, 200)
      yield* post("d2")

      expect(yield* outbox.transcript(chat, 10)).toEqual([
        { id: "om_e1", from: "sender", text: "text of e1", at: 100 },
        { id: "d1", from: "gateway", text: "says d1", at: 200 },
        { id: "om_e2", from: "sender", text: "text of e2", at: 300 }
      ])
      expect((yield* outbox.transcript(chat, 1)).map(({ id }) => id)).toEqual(["om_e2"])
      expect(yield* outbox.transcript({ ...chat, thread: "omt_1" }, 10)).toEqual([])
    }).pipe(Effect.provide(memory))
  )

  it.effect("prunes what ended before, never what waits, and the tally follows", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      const ids = Array.from({ length: 505 }, (_, i) => `d${i}`)
      yield* Effect.forEach(ids, (id) => post(id))
      yield* Effect.forEach(ids.slice(0, 3), (_, i) => outbox.bury(1 + i, "expired", 2000))
      yield* Effect.forEach(ids.slice(3, 504), (_, i) =>
        outbox.delivered({ seq: 4 + i, address: chat }, null, i < 499 ? 2000 : 9000)
      )

      const steps = yield* Effect.forEach([1, 2, 3], () => outbox.prune(5000))

      expect(steps).toEqual([true, true, false])
      expect(yield* outbox.counts).toEqual({ pending: new Map([[feishu, 1]]), delivered: 2, dead: 0 })
      expect((yield* next).id).toBe("d504")
    }).pipe(Effect.provide(memory))
  )

  it.effect("by hand a dead letter waits again as if it were new, and what was delivered stays as it is", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      yield* post("d1")
      yield* post("d2")
      yield* outbox.bury((yield* next).seq, "chat not found", 2000)
      yield* outbox.delivered(yield* next, "om_2", 2000)

      const revived = yield* outbox.revive(DeliveryId.make("d1"), 9000)
      const refused = yield* outbox.revive(DeliveryId.make("d2"), 9000)

      expect(Option.getOrThrow(revived)).toEqual({ platform: "feishu", chat: "oc_1" })
      expect(Option.isNone(refused)).toBe(true)
      expect(yield* next).toMatchObject({ id: "d1", state: "pending", createdAt: 9000, notBefore: 9000 })
      expect(yield* outbox.counts).toEqual({ pending: new Map([[feishu, 1]]), delivered: 1, dead: 0 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("by hand a message that waits or is dead is gone, and counted nowhere", () =>
    Effect.gen(function* () {
      const outbox = yield* OutboxStore
      for (const id of ["d1", "d2"]) yield* post(id)
      yield* outbox.bury((yield* next).seq, "chat not found", 2000)

      const dropped = yield* Effect.forEach(["d1", "d2", "d3"], (id) => outbox.drop(DeliveryId.make(id), 3000))

      expect(dropped.map(Option.isSome)).toEqual([true, true, false])
      expect(yield* outbox.counts).toEqual({ pending: new Map(), delivered: 0, dead: 0 })
    }).pipe(Effect.provide(memory))
  )
})
