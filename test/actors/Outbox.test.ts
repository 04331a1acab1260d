import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Option, Random, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Outbox } from "../../src/actors/Outbox.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import * as Address from "../../src/domain/Address.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { RateLimited, Rejected, Unavailable, Unknown } from "../../src/domain/Errors.ts"
import type { SendErrorReason } from "../../src/domain/Errors.ts"
import type { Platform } from "../../src/platforms/Platform.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { inWorld, quiet, withJumps } from "./world.ts"

const attached = Effect.fnUntraced(function* (options: FakePlatform.FakePlatformOptions = {}) {
  const fake = yield* FakePlatform.make(options)
  yield* (yield* Supervisor).attach(fake.platform)
  yield* fake.awaitConnects(1)
  return fake
})

const post = (text: string, chat = "c1", idempotencyKey?: string) =>
  Effect.flatMap(Outbox, (outbox) =>
    outbox.post({
      to: { platform: PlatformId.make("fake"), chat, thread: null },
      text,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey })
    })
  )

const texts = (fake: FakePlatform.FakePlatform) => Effect.map(fake.sent, (sent) => sent.map((message) => message.text))
const dead = Effect.flatMap(OutboxStore, (store) => store.list("dead", 10))

/** Each reason once, in order; then everything is taken. */
const failing = (...reasons: ReadonlyArray<SendErrorReason>): FakePlatform.SendScript => {
  const left = [...reasons]
  return () => Effect.sync(() => left.shift() ?? "take")
}

describe("Outbox", () => {
  it.effect("F157: a send that fails three times is sent by the fourth, and nothing overtakes it in its chat", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const down = new Unavailable({ detail: "500" })
      yield* fake.onSend(failing(down, down, down))
      yield* post("first")
      yield* post("second")
      yield* post("elsewhere", "c2")
      yield* quiet
      yield* TestClock.adjust("1 minute")
      yield* fake.awaitSent(3)

      const inChat = (yield* fake.sent).filter((message) => message.address.chat === "c1")
      assert.deepStrictEqual(
        inChat.map((message) => message.text),
        ["first", "second"]
      )
    }).pipe(Random.withSeed("outbox"), inWorld())
  )

  it.effect("F155, F156: a wait that the platform asks for is kept, and the message arrives after it", () =>
    Effect.gen(function* () {
      let tries = 0
      const fake = yield* attached()
      const script = failing(new RateLimited({ detail: "429", retryAfterMillis: 12_000, scope: "account" }))
      yield* fake.onSend((message) =>
        Effect.andThen(
          Effect.sync(() => void tries++),
          script(message)
        )
      )
      yield* post("final")
      yield* quiet
      yield* post("of another chat", "c2")
      yield* quiet
      yield* TestClock.adjust("11 seconds")
      yield* quiet
      const during = tries
      yield* TestClock.adjust("2 seconds")
      yield* fake.awaitSent(2)

      assert.strictEqual(during, 1)
      assert.sameMembers([...(yield* texts(fake))], ["final", "of another chat"])
    }).pipe(inWorld())
  )

  it.effect(
    "a stop does not sit out a wait that the platform asked of the account; what is left stays in the store",
    () =>
      Effect.gen(function* () {
        const fake = yield* FakePlatform.make()
        const scope = yield* Scope.make()
        yield* (yield* Supervisor).attach(fake.platform).pipe(Scope.provide(scope))
        yield* fake.awaitConnects(1)
        const limited = new RateLimited({ detail: "limited", retryAfterMillis: 600_000, scope: "account" })
        yield* fake.onSend(failing(limited))
        yield* post("refused for now")
        yield* quiet
        yield* post("has not had its turn", "c2")
        yield* quiet

        const leaving = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* quiet

        assert.isDefined(leaving.pollUnsafe())
        assert.strictEqual((yield* (yield* OutboxStore).list("pending", 10)).length, 2)
      }).pipe(inWorld())
  )

  it.effect("F152: 20 messages to one chat keep its pace and their order", () =>
    Effect.gen(function* () {
      const fake = yield* attached({ capabilities: { chatRates: [{ sends: 5, per: Duration.seconds(1) }] } })
      for (let index = 0; index < 20; index++) yield* post(`${index}`)
      yield* quiet
      const atOnce = (yield* fake.sent).length
      yield* TestClock.adjust("3 seconds")
      yield* fake.awaitSent(20)

      assert.strictEqual(atOnce, 5)
      assert.deepStrictEqual(
        yield* texts(fake),
        Array.from({ length: 20 }, (_, index) => `${index}`)
      )
    }).pipe(inWorld())
  )

  it.effect("F164: what the platform refuses for good is a dead letter with its reason, and the lane goes on", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.onSend(failing(new Rejected({ code: "230002", detail: "bot not in the group" })))
      yield* post("refused")
      yield* post("next")
      yield* fake.awaitSent(1)

      const [letter] = yield* dead
      assert.deepStrictEqual(yield* texts(fake), ["next"])
      assert.strictEqual(letter?.text, "refused")
      assert.include(letter?.lastError, "230002")
    }).pipe(inWorld())
  )

  it.effect("a send that crashes is a dead letter, no more", () =>
    Effect.gen(function* () {
      let crashes = 1
      const fake = yield* attached()
      yield* fake.onSend(() =>
        Effect.suspend(() => (crashes-- > 0 ? Effect.die(new Error("a bug")) : Effect.succeed("take")))
      )
      yield* post("crash")
      yield* post("next")
      yield* fake.awaitSent(1)

      assert.include((yield* dead)[0]?.lastError, "a bug")
    }).pipe(inWorld())
  )

  it.effect("an adapter that throws where it should return an effect costs one message, no more", () =>
    Effect.gen(function* () {
      let crashes = 1
      const fake = yield* FakePlatform.make()
      const send: Platform["send"] = (message) => {
        if (crashes-- > 0) throw new Error("a bug")
        return fake.platform.send(message)
      }
      yield* (yield* Supervisor).attach({ ...fake.platform, send })
      yield* fake.awaitConnects(1)
      yield* post("crash")
      yield* post("next")
      yield* fake.awaitSent(1)

      assert.include((yield* dead)[0]?.lastError, "a bug")
    }).pipe(inWorld())
  )

  it.effect("F165: a send without an answer does not wedge the lane, and other chats flow meanwhile", () =>
    Effect.gen(function* () {
      let hangs = 1
      const fake = yield* attached()
      yield* fake.onSend(() => Effect.suspend(() => (hangs-- > 0 ? Effect.never : Effect.succeed("take"))))
      yield* post("slow")
      yield* post("elsewhere", "c2")
      yield* fake.awaitSent(1)
      yield* TestClock.adjust("65 seconds")
      yield* fake.awaitSent(2)

      assert.deepStrictEqual(yield* texts(fake), ["elsewhere", "slow"])
    }).pipe(inWorld())
  )

  it.effect("F160: what is older than the expiry is a dead letter, and the rest goes out in order", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* post("eight days old").pipe(inWorld({ database }))
      // Nobody lives meanwhile whom the clock would have to move through all of it.
      yield* TestClock.adjust("8 days")
      yield* Effect.gen(function* () {
        yield* post("one")
        yield* post("two")
        const fake = yield* attached()
        yield* fake.awaitSent(2)

        assert.deepStrictEqual(yield* texts(fake), ["one", "two"])
        assert.include((yield* dead)[0]?.lastError, "expired")
      }).pipe(inWorld({ database }))
    }).pipe(Effect.provide(Store.layerMemory))
  )

  it.effect(
    "what is dropped by hand while it waits for another try is not sent, and what is behind it waits no longer",
    () =>
      Effect.gen(function* () {
        const fake = yield* attached()
        const outbox = yield* Outbox
        yield* fake.onSend(failing(...Array.from({ length: 20 }, () => new Unavailable({ detail: "500" }))))
        const id = yield* post("regretted")
        yield* post("meant")
        yield* quiet
        yield* TestClock.adjust("1 minute")
        yield* quiet
        yield* fake.onSend(() => Effect.succeed("take"))

        const dropped = yield* outbox.drop(id)
        yield* fake.awaitSent(1)

        assert.isTrue(dropped)
        assert.deepStrictEqual(yield* texts(fake), ["meant"])
        assert.isFalse(yield* outbox.drop(id))
      }).pipe(inWorld())
  )

  it.effect("what is given another life while it waits does not expire by its first", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const outbox = yield* Outbox
      yield* fake.onSend(() => Effect.succeed(new Unavailable({ detail: "500" })))
      const id = yield* post("wanted")
      yield* quiet
      yield* TestClock.adjust("23 minutes")
      yield* outbox.retry(id)
      yield* quiet

      yield* TestClock.adjust("2 minutes")
      yield* quiet

      assert.deepStrictEqual(yield* dead, [])
    }).pipe(inWorld({ expire: Duration.minutes(24) }))
  )

  it.effect("F169, F171: what is posted and longer than the platform takes arrives in pieces, once under one key", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const long = Array.from({ length: 1_500 }, (_, nth) => `word${nth}`).join(" ")
      const first = yield* post(long, "c1", "k")
      const again = yield* post(long, "c1", "k")
      yield* fake.awaitSent(3)
      yield* quiet

      assert.strictEqual(again, first)
      const said = yield* texts(fake)
      assert.isTrue(said.join(" ").replaceAll(/\s+/g, " ") === long, `${said.length} pieces`)
      assert.isTrue(said.length > 2 && said.every((text) => text.length <= 4_000))
    }).pipe(inWorld())
  )

  it.effect("F158: what was written down before a crash is delivered after it, once", () =>
    Effect.gen(function* () {
      const database = yield* Database
      yield* post("from before").pipe(inWorld({ database }))
      yield* Effect.gen(function* () {
        const fake = yield* attached()
        yield* fake.awaitSent(1)
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* texts(fake), ["from before"])
      }).pipe(inWorld({ database }))
    }).pipe(inWorld())
  )

  it.effect("an answer that got lost is asked for with the same id, and arrives once where the platform has keys", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      let lost = 2
      yield* fake.onSend(() => Effect.sync(() => (lost-- > 0 ? "takeAndLoseAnswer" : "take")))
      yield* post("once")
      yield* quiet
      yield* TestClock.adjust("1 minute")
      yield* quiet

      const counts = yield* (yield* OutboxStore).counts
      assert.deepStrictEqual(yield* texts(fake), ["once"])
      assert.strictEqual(counts.delivered, 1)
    }).pipe(inWorld())
  )

  it.effect("without keys a lost answer is sent once more at most, and the entry says unknown", () =>
    Effect.gen(function* () {
      const fake = yield* attached({ capabilities: { idempotencyLife: null } })
      yield* fake.onSend(() => Effect.succeed(new Unknown({ detail: "time-out" })))
      yield* post("perhaps")
      for (let minute = 0; minute < 3; minute++) {
        yield* quiet
        yield* TestClock.adjust("1 minute")
      }
      yield* quiet

      const [letter] = yield* dead
      assert.include(letter?.lastError, "unknown")
      assert.isTrue(letter?.unknown)
    }).pipe(inWorld())
  )

  it.effect(
    "a refusal tells nothing of an answer that got lost before: past the key's life the entry says unknown",
    () =>
      Effect.gen(function* () {
        const fake = yield* attached()
        let tries = 0
        const trouble = () => (tries++ === 0 ? "takeAndLoseAnswer" : new Unavailable({ detail: "503" }))
        yield* fake.onSend(() => Effect.sync(trouble))
        const id = yield* post("hello")
        yield* quiet
        yield* TestClock.adjust("61 minutes")
        yield* fake.onSend(() => Effect.succeed("take"))
        yield* TestClock.adjust("2 minutes")
        yield* quiet

        const letter = Option.getOrThrow(yield* (yield* OutboxStore).find(id))
        assert.isTrue(letter.state === "delivered" && letter.unknown)
      }).pipe(inWorld())
  )

  it.effect("a machine that slept in the middle of a send: the key's life counts from when the send began", () =>
    withJumps((jump) =>
      Effect.gen(function* () {
        const fake = yield* attached()
        let tries = 0
        const sleepOnce = () => {
          if (tries++ > 0) return "take"
          jump(Duration.toMillis(Duration.hours(2)))
          return "takeAndLoseAnswer"
        }
        yield* fake.onSend(() => Effect.sync(sleepOnce))
        const id = yield* post("hello")
        yield* quiet
        yield* TestClock.adjust("1 minute")
        yield* quiet

        const letter = Option.getOrThrow(yield* (yield* OutboxStore).find(id))
        assert.isTrue(letter.state === "delivered" && letter.unknown)
      }).pipe(inWorld())
    )
  )

  it.effect("a message whose sender is gone before it is kept goes out all the same", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const posting = yield* Effect.forkChild(post("from a caller that hangs up"))
      // As far as the store, whose answer it does not wait for.
      yield* Effect.yieldNow
      yield* Fiber.interrupt(posting)
      yield* quiet

      assert.deepStrictEqual(yield* texts(fake), ["from a caller that hangs up"])
    }).pipe(inWorld())
  )

  it.effect("the same idempotency key twice is one message", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const first = yield* post("hello", "c1", "key")
      const second = yield* post("hello", "c1", "key")
      yield* fake.awaitSent(1)
      yield* quiet

      assert.strictEqual(first, second)
      assert.deepStrictEqual(yield* texts(fake), ["hello"])
    }).pipe(inWorld())
  )

  it.effect("what waits for a platform that is away goes out at once when its link is up", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make({ shape: "reply" })
      yield* fake.onConnect(Effect.never)
      yield* (yield* Supervisor).attach(fake.platform)
      yield* post("waiting")
      yield* quiet
      yield* TestClock.adjust("50 seconds")
      yield* fake.onConnect(Effect.void)
      yield* TestClock.adjust("11 seconds")
      yield* fake.awaitSent(1)

      assert.deepStrictEqual(yield* texts(fake), ["waiting"])
    }).pipe(Random.withSeed("away"), inWorld())
  )

  it.effect("a post to a platform that is not attached waits in the store", () =>
    Effect.gen(function* () {
      yield* post("later")

      const counts = yield* (yield* OutboxStore).counts
      assert.strictEqual(Address.format({ platform: PlatformId.make("fake"), chat: "c1", thread: null }), "fake:c1")
      assert.strictEqual(counts.pending.get(PlatformId.make("fake")), 1)
    }).pipe(inWorld())
  )
})

describe("a lane that stands", () => {
  const standing = Effect.flatMap(Supervision, ({ parts }) =>
    Effect.map(parts, (all) => all.filter((part) => part.overdueMillis !== null).map((part) => part.name))
  )

  it.effect("is told by the name of its platform, and a platform that takes long is none", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      const fake = yield* attached()
      yield* fake.onSend(() => Effect.never)
      yield* post("slow")
      yield* quiet
      yield* TestClock.adjust("5 minutes")
      yield* quiet
      const slow = yield* standing
      yield* fake.onSend(() => Effect.as(Effect.orDie(sql`ALTER TABLE outbox RENAME TO away`), "take" as const))
      for (let minute = 0; minute < 4; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* quiet
      }

      assert.deepStrictEqual(slow, [])
      assert.deepStrictEqual(yield* standing, ["lanes fake"])
      yield* sql`ALTER TABLE away RENAME TO outbox`
    }).pipe(inWorld({ drain: Duration.zero }))
  )
})
