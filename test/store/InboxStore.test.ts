import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import { SessionKey } from "../../src/domain/Session.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import { entry, feishu, memory, message, reply, session } from "./fixtures.ts"

const hour = 3_600_000
const end = { outcome: "ok", error: null, replies: [], endedAt: 2000 } as const

const nextEvent = (key = session) =>
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    return Option.getOrThrow(yield* inbox.take(key, 1000))
  })

describe("InboxStore", () => {
  it.effect("gives the oldest entry of a session back as it came, until its turn has ended", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const first = entry(message("e1", { attachments: [{ kind: "image", name: null, key: "k" }] }))
      yield* inbox.accept([first, entry(message("e2"))])

      const found = yield* nextEvent()
      yield* inbox.finish({ ...end, seq: found.seq })

      expect(found).toEqual({ ...first, seq: found.seq, attempts: 1 })
      expect((yield* nextEvent()).event).toEqual(message("e2"))
    }).pipe(Effect.provide(memory))
  )

  it.effect("F119: two copies in one batch are one entry, and what follows them is kept", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore

      const fresh = yield* inbox.accept([entry(message("e1")), entry(message("e1")), entry(message("e2"))])

      expect(fresh).toEqual([true, false, true])
      expect(yield* inbox.unprocessed).toEqual(new Map([[feishu, 2]]))
    }).pipe(Effect.provide(memory))
  )

  it.effect("F117: an event is known 61 s and 5 min 1 s later, also after its turn has ended", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      yield* inbox.accept([entry(message("e1"))])
      yield* inbox.finish({ ...end, seq: (yield* nextEvent()).seq })

      const late = yield* inbox.accept([entry(message("e1"), { receivedAt: 62_000 })])
      const later = yield* inbox.accept([entry(message("e1"), { receivedAt: 302_000 })])

      expect([late, later]).toEqual([[false], [false]])
      expect(Option.isNone(yield* inbox.take(session, 1000))).toBe(true)
    }).pipe(Effect.provide(memory))
  )

  it.effect("F121: the same id on two accounts is two entries, and two ids on one account are two", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const other = PlatformId.make("feishu-2")

      const fresh = yield* inbox.accept([
        entry(message("e1")),
        entry(message("e1", { platform: other })),
        entry(message("e2"))
      ])

      expect(fresh).toEqual([true, true, true])
    }).pipe(Effect.provide(memory))
  )

  it.effect("F122: the same text twice is two entries", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore

      const fresh = yield* inbox.accept([
        entry(message("e1", { text: "yes" })),
        entry(message("e2", { text: "yes", sentAt: 3000 }))
      ])

      expect(fresh).toEqual([true, true])
    }).pipe(Effect.provide(memory))
  )

  it.effect("F126: a message that comes again under another event id is known; its next revision is new", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      yield* inbox.accept([entry(message("e1", { messageId: "om_1" }))])

      const fresh = yield* inbox.accept([
        entry(message("e2", { messageId: "om_1" })),
        entry(message("e3", { messageId: "om_1", revision: 1 })),
        entry(message("e4", { messageId: "om_1", chat: { id: "oc_2", type: "group" } }))
      ])

      expect(fresh).toEqual([false, true, true])
    }).pipe(Effect.provide(memory))
  )

  it.effect("F123: a known event stays known when it comes for another session", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      yield* inbox.accept([entry(message("e1"))])

      const fresh = yield* inbox.accept([entry(message("e1"), { session: SessionKey.make("feishu:oc_1/ou_1") })])

      expect(fresh).toEqual([false])
    }).pipe(Effect.provide(memory))
  )

  it.effect("F120: an event whose keeping failed is new when it comes again", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const { sql } = yield* Database
      yield* sql`CREATE TRIGGER broken BEFORE INSERT ON inbox WHEN NEW.event_id = 'e2'
        BEGIN SELECT RAISE(ABORT, 'the disk says no'); END`
      const batch = [entry(message("e1")), entry(message("e2"))]

      const error = yield* Effect.flip(inbox.accept(batch))
      yield* sql`DROP TRIGGER broken`
      const fresh = yield* inbox.accept(batch)

      expect(error).toMatchObject({ _tag: "StoreError", operation: "accept", unusable: false })
      expect(fresh).toEqual([true, true])
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps the resume token with the events it stands behind", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const links = yield* LinkStore

      yield* inbox.accept([entry(message("e1"))], { platform: feishu, token: "7" })
      yield* inbox.accept([entry(message("e1"))], { platform: feishu, token: "8" })

      expect(yield* links.resume(feishu)).toBe("8")
    }).pipe(Effect.provide(memory))
  )

  it.effect("counts attempts from 1, and takes nothing that has ended", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      yield* inbox.accept([entry(message("e1"))])

      const first = yield* nextEvent()
      const second = yield* nextEvent()
      yield* inbox.finish({ ...end, seq: first.seq })
      const third = yield* inbox.take(session, 3000)

      expect([first.attempts, second.attempts]).toEqual([1, 2])
      expect(second.seq).toBe(first.seq)
      expect(Option.isNone(third)).toBe(true)
    }).pipe(Effect.provide(memory))
  )

  it.effect("F145: a turn's end and its replies are one thing, and an end that comes twice says nothing twice", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore
      const { sql } = yield* Database
      yield* inbox.accept([entry(message("e1"))])
      const { seq } = yield* nextEvent()
      const ending = { ...end, seq, replies: [reply("d1"), reply("d2")] }
      yield* sql`CREATE TRIGGER broken BEFORE INSERT ON outbox WHEN NEW.id = 'd2'
        BEGIN SELECT RAISE(ABORT, 'the disk says no'); END`

      yield* Effect.flip(inbox.finish(ending))
      const halfway = yield* outbox.list("pending", 10)
      const waits = yield* nextEvent()
      yield* sql`DROP TRIGGER broken`
      yield* inbox.finish(ending)
      yield* inbox.finish({ ...ending, replies: [reply("d3")] })

      expect(halfway).toEqual([])
      expect(waits.seq).toBe(seq)
      expect((yield* outbox.list("pending", 10)).map(({ id }) => id)).toEqual(["d2", "d1"])
      expect(Option.isNone(yield* inbox.take(session, 1000))).toBe(true)
    }).pipe(Effect.provide(memory))
  )

  it.effect("names the sessions that wait, oldest first", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const [a, b] = [SessionKey.make("feishu:a"), SessionKey.make("feishu:b")]
      yield* inbox.accept([
        entry(message("e1"), { session: b }),
        entry(message("e2"), { session: a }),
        entry(message("e3"), { session: b })
      ])

      const both = yield* inbox.waiting
      yield* inbox.finish({ ...end, seq: (yield* nextEvent(b)).seq })

      expect(both).toEqual([b, a])
      expect(yield* inbox.waiting).toEqual([a, b])
    }).pipe(Effect.provide(memory))
  )

  it.effect("ends a row that does not read back as failed, with the reason, and goes on to the next", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const { sql } = yield* Database
      yield* inbox.accept([entry(message("e1")), entry(message("e2")), entry(message("e3"))])
      yield* sql`UPDATE inbox SET event = '{"_tag":"MessageArrived"' WHERE event_id = 'e1'`
      yield* sql`UPDATE inbox SET event = '{"_tag":"Nothing"}' WHERE event_id = 'e2'`

      const found = yield* nextEvent()

      const ended = yield* sql<{ outcome: string; error: string }>`SELECT outcome, error FROM inbox
        WHERE ended_at IS NOT NULL ORDER BY seq`
      expect(found.event).toEqual(message("e3"))
      expect(ended.map(({ outcome }) => outcome)).toEqual(["failed", "failed"])
      expect(ended[0]?.error).toContain("inbox 1 does not read back")
    }).pipe(Effect.provide(memory))
  )

  it.effect(
    "F230: prunes what ended before, but nothing of the last 48 h and nothing that waits, in bounded steps",
    () =>
      Effect.gen(function* () {
        const inbox = yield* InboxStore
        const { sql } = yield* Database
        const now = 100 * hour
        const ids = Array.from({ length: 600 }, (_, i) => `e${i}`)
        yield* inbox.accept(ids.map((id) => entry(message(id))))
        yield* sql`UPDATE inbox SET outcome = 'ok', ended_at = CASE WHEN seq <= 510 THEN ${51 * hour} ELSE ${53 * hour} END
        WHERE seq < 600`

        const steps = yield* Effect.forEach([1, 2, 3], () => inbox.prune(now, now))

        const left = yield* sql<{ seq: number }>`SELECT seq FROM inbox ORDER BY seq`
        expect(steps).toEqual([true, true, false])
        expect(left.map(({ seq }) => seq)).toEqual(Array.from({ length: 90 }, (_, i) => 511 + i))
      }).pipe(Effect.provide(memory))
  )

  it.effect("F230: keeps refusals for 24 h, the newest 10,000", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const { sql } = yield* Database
      const refused = (eventId: string, at: number) => ({ platform: feishu, eventId, reason: "bot not mentioned", at })
      const count = sql<{ rows: number }>`SELECT COUNT(*) AS "rows" FROM refused`

      yield* inbox.refuse(Array.from({ length: 10_007 }, (_, i) => refused(`e${i}`, i < 9_900 ? 0 : 2 * hour)))
      const [kept] = yield* count
      const [oldest] = yield* sql<{ event_id: string }>`SELECT event_id FROM refused ORDER BY seq LIMIT 1`
      const steps = yield* Effect.forEach(Array.from({ length: 60 }), () => inbox.prune(25 * hour, 0))
      const [left] = yield* count

      expect([kept?.rows, oldest?.event_id, left?.rows]).toEqual([10_000, "e7", 107])
      expect(steps.at(0)).toBe(true)
      expect(steps.at(-1)).toBe(false)
    }).pipe(Effect.provide(memory))
  )

  it.effect("never uses a number again, also when everything was pruned", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      yield* inbox.accept([entry(message("e1"))])
      const first = yield* nextEvent()
      yield* inbox.finish({ ...end, seq: first.seq })
      yield* inbox.prune(100 * hour, 100 * hour)

      yield* inbox.accept([entry(message("e2"))])

      expect((yield* nextEvent()).seq).toBeGreaterThan(first.seq)
    }).pipe(Effect.provide(memory))
  )

  it.effect("tells the sessions, the newest first, and what waits in each; what was not begun ends by hand", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const other = SessionKey.make("feishu:oc_2")
      yield* inbox.accept([entry(message("e1")), entry(message("e2")), { ...entry(message("e3")), session: other }])
      const begun = yield* nextEvent()
      yield* inbox.finish({ ...end, seq: (yield* nextEvent(other)).seq })

      const before = yield* inbox.sessions(10)
      const cleared = yield* inbox.clear(session, 3000)
      const after = yield* inbox.sessions(1)
      yield* inbox.finish({ ...end, seq: begun.seq })

      expect(before.map(({ lastOutcome, session, waiting }) => [session, waiting, lastOutcome])).toEqual([
        [other, 0, "ok"],
        [session, 2, null]
      ])
      expect(cleared).toBe(1)
      expect(after.map(({ session }) => session)).toEqual([other])
      expect((yield* inbox.sessions(10)).map(({ waiting }) => waiting)).toEqual([0, 0])
    }).pipe(Effect.provide(memory))
  )
})
