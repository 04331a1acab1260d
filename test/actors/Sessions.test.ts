import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Inbox } from "../../src/actors/Inbox.ts"
import { Sessions } from "../../src/actors/Sessions.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { AgentError } from "../../src/domain/Errors.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { echo, inWorld, quiet } from "./world.ts"

const attached = Effect.fnUntraced(function* (options: FakePlatform.FakePlatformOptions = {}) {
  const fake = yield* FakePlatform.make(options)
  yield* (yield* Supervisor).attach(fake.platform)
  yield* fake.awaitConnects(1)
  return fake
})

const texts = (fake: FakePlatform.FakePlatform) => Effect.map(fake.sent, (sent) => sent.map((message) => message.text))

describe("the way of a message", () => {
  it.effect("F135: two messages to a resting chat are both answered, in order", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("one")
      yield* fake.say("two")
      yield* fake.awaitSent(2)
      yield* quiet

      assert.deepStrictEqual(yield* texts(fake), ["echo: one", "echo: two"])
      assert.strictEqual(yield* (yield* Sessions).active, 0)
    }).pipe(inWorld())
  )

  it.effect("F116: the acknowledgement does not wait for the agent, and a redelivery is no second turn", () => {
    let calls = 0
    const slow = (turn: Turn) =>
      Effect.suspend(() => {
        calls++
        return Effect.delay(echo(turn), "65 seconds")
      })
    return Effect.gen(function* () {
      const fake = yield* attached()
      const event = yield* fake.say("slow")
      yield* fake.awaitAcked(1)
      yield* fake.repeat(event)
      yield* quiet
      yield* TestClock.adjust("66 seconds")
      yield* fake.awaitSent(1)
      yield* TestClock.adjust("1 hour")

      assert.strictEqual(calls, 1)
      assert.deepStrictEqual(yield* texts(fake), ["echo: slow"])
      assert.deepStrictEqual(yield* (yield* Inbox).counts, { accepted: 1, duplicates: 1, refused: 0 })
    }).pipe(inWorld({ answer: slow }))
  })

  it.effect("a session with much to do gives its place to one that waits, and comes back to the rest", () => {
    const asked: Array<string> = []
    const slow = (turn: Turn) =>
      Effect.suspend(() => {
        asked.push(turn.messages[0]?.text ?? "")
        return Effect.delay(echo(turn), "1 second")
      })
    return Effect.gen(function* () {
      const fake = yield* attached()
      for (const text of ["a1", "a2", "a3"]) yield* fake.say(text, { chat: "a" })
      yield* quiet
      yield* fake.say("b1", { chat: "b" })
      yield* quiet
      yield* TestClock.adjust("1 minute")
      yield* fake.awaitSent(4)

      assert.deepStrictEqual(asked, ["a1", "b1", "a2", "a3"])
    }).pipe(inWorld({ answer: slow, concurrentTurns: 1 }))
  })

  it.effect("F117: the same event 61 s, 5 min and 7 h later is known", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const event = yield* fake.say("once")
      for (const later of ["61 seconds", "301 seconds", "7 hours"] as const) {
        yield* TestClock.adjust(later)
        yield* fake.repeat(event)
        yield* quiet
      }

      assert.deepStrictEqual(yield* texts(fake), ["echo: once"])
    }).pipe(inWorld())
  )

  it.effect("F119: two copies at once are one turn, and both are acknowledged", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("twin", { eventId: "e", messageId: "m" })
      yield* fake.say("twin", { eventId: "e", messageId: "m" })
      yield* quiet

      assert.deepStrictEqual(yield* texts(fake), ["echo: twin"])
      assert.deepStrictEqual(yield* (yield* Inbox).counts, { accepted: 1, duplicates: 1, refused: 0 })
    }).pipe(inWorld())
  )

  it.effect("F121: the same id on two accounts is two messages", () =>
    Effect.gen(function* () {
      const first = yield* attached({ id: "first" })
      const second = yield* attached({ id: "second" })
      yield* first.say("hello", { eventId: "e", messageId: "m" })
      yield* second.say("hello", { eventId: "e", messageId: "m" })
      yield* first.awaitSent(1)
      yield* second.awaitSent(1)

      assert.strictEqual((yield* (yield* Inbox).counts).accepted, 2)
    }).pipe(inWorld())
  )

  it.effect("F122: the same words twice are two turns", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("yes")
      yield* TestClock.adjust("2 seconds")
      yield* fake.say("yes")
      yield* fake.awaitSent(2)

      assert.deepStrictEqual(yield* texts(fake), ["echo: yes", "echo: yes"])
    }).pipe(inWorld())
  )

  it.effect("F126: an acknowledgement that got lost with the link is given again, without a second turn", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      // A dead path takes the acknowledgement and carries it nowhere; the platform delivers again on the next link.
      const event = yield* fake.say("lost ack")
      yield* fake.goSilent("path")
      yield* quiet
      yield* TestClock.adjust("26 seconds")
      yield* fake.awaitConnects(2)
      yield* fake.awaitAcked(1)
      yield* fake.awaitSent(1)

      assert.isTrue((yield* fake.acked).has(event.eventId))
      assert.deepStrictEqual(yield* texts(fake), ["echo: lost ack"])
    }).pipe(inWorld())
  )

  it.effect("F120: what could not be kept is not acknowledged, and is kept as soon as the store takes it", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      const fake = yield* attached()
      yield* sql`ALTER TABLE inbox RENAME TO away`
      yield* fake.say("hold on")
      yield* quiet
      const during = (yield* fake.acked).size
      yield* sql`ALTER TABLE away RENAME TO inbox`
      yield* TestClock.adjust("2 seconds")
      yield* fake.awaitAcked(1)
      yield* fake.awaitSent(1)

      assert.strictEqual(during, 0)
      assert.deepStrictEqual(yield* texts(fake), ["echo: hold on"])
    }).pipe(inWorld())
  )

  it.effect(
    "F157: a store that fails at the end of a turn has the end written later, and the agent not asked again",
    () => {
      let calls = 0
      return Effect.gen(function* () {
        const { sql } = yield* Database
        const fake = yield* attached()
        yield* fake.say("once")
        yield* quiet
        yield* sql`ALTER TABLE outbox RENAME TO away`
        yield* TestClock.adjust("1 second")
        yield* quiet
        const during = (yield* fake.sent).length
        yield* sql`ALTER TABLE away RENAME TO outbox`
        yield* TestClock.adjust("2 seconds")
        yield* fake.awaitSent(1)

        assert.strictEqual(during, 0)
        assert.strictEqual(calls, 1)
      }).pipe(
        inWorld({
          answer: (turn) =>
            Effect.suspend(() => {
              calls++
              return Effect.delay(echo(turn), "1 second")
            })
        })
      )
    }
  )

  it.effect("F042, F138: a turn that never ends holds up its own chat alone", () => {
    const stuckInA = (turn: Turn) => (turn.chat.id === "a" ? Effect.never : echo(turn))
    return Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("first", { chat: "a" })
      yield* fake.say("second", { chat: "b" })
      yield* fake.awaitSent(1)

      assert.deepStrictEqual(yield* texts(fake), ["echo: second"])
    }).pipe(inWorld({ answer: stuckInA, drain: Duration.zero }))
  })

  it.effect(
    "F134, F136, F139: a turn out of time is told of, and the next message is answered by its own answer",
    () => {
      const stuckOnce = (turn: Turn) => (turn.messages[0]?.text === "stuck" ? Effect.never : echo(turn))
      return Effect.gen(function* () {
        const fake = yield* attached()
        yield* fake.say("stuck")
        yield* fake.say("next")
        yield* quiet
        yield* TestClock.adjust("61 seconds")
        const sent = yield* fake.awaitSent(2)

        assert.match(sent[0]?.text ?? "", /^I could not answer that: the agent failed \(t_/)
        assert.strictEqual(sent[1]?.text, "echo: next")
      }).pipe(inWorld({ answer: stuckOnce, turnTimeout: Duration.minutes(1) }))
    }
  )

  it.effect.each([
    ["fails", Effect.fail(new AgentError({ detail: "no" }))],
    ["crashes", Effect.die(new Error("a bug"))]
  ] as const)("a turn that %s is one honest line, and is not run again", ([, failure]) => {
    let calls = 0
    return Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("hello")
      yield* fake.awaitSent(1)
      yield* TestClock.adjust("1 hour")

      assert.strictEqual(calls, 1)
      assert.strictEqual((yield* fake.sent).length, 1)
      assert.strictEqual((yield* (yield* InboxStore).waiting).length, 0)
    }).pipe(
      inWorld({
        answer: () =>
          Effect.suspend(() => {
            calls++
            return failure
          })
      })
    )
  })

  it.effect("an agent that throws where it should return a stream has failed its turn, no more", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("hello")
      yield* fake.awaitSent(1)
      yield* quiet

      assert.match((yield* fake.sent)[0]?.text ?? "", /^I could not answer that/)
      assert.strictEqual((yield* (yield* InboxStore).waiting).length, 0)
    }).pipe(
      inWorld({
        answer: () => {
          throw new Error("a bug")
        }
      })
    )
  )

  it.effect("F181: an empty answer sends nothing", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.say("hello")
      yield* quiet

      assert.deepStrictEqual(yield* fake.sent, [])
      assert.strictEqual((yield* (yield* InboxStore).waiting).length, 0)
    }).pipe(inWorld({ answer: () => Effect.succeed(" \n") }))
  )

  it.effect("who is refused is answered by nothing, and acknowledged", () =>
    Effect.gen(function* () {
      const fake = yield* attached({ access: { direct: "allowlist", allow: ["friend"] } })
      yield* fake.say("hello", { sender: "stranger" })
      yield* fake.say("hello", { sender: "friend" })
      yield* fake.awaitSent(1)
      yield* fake.awaitAcked(2)

      assert.deepStrictEqual(yield* (yield* Inbox).counts, { accepted: 1, duplicates: 0, refused: 1 })
    }).pipe(inWorld())
  )

  it.effect(
    "F039, F035: a turn is not cut by a change of links, and its answer goes out by the link that is up then",
    () =>
      Effect.gen(function* () {
        const fake = yield* attached({ shape: "reply" })
        yield* fake.say("work")
        yield* quiet
        yield* TestClock.adjust("5 seconds")
        yield* fake.drop()
        yield* fake.awaitConnects(2)
        yield* TestClock.adjust("6 seconds")
        yield* fake.awaitSent(1)

        assert.deepStrictEqual(yield* texts(fake), ["echo: work"])
      }).pipe(inWorld({ answer: (turn) => Effect.delay(echo(turn), "10 seconds") }))
  )

  it.effect("F041: a message that comes late carries its age to the agent", () => {
    const age = (turn: Turn) => Effect.succeed(`${turn.messages[0]?.ageMs}`)
    return Effect.gen(function* () {
      yield* TestClock.adjust("3 hours")
      const fake = yield* attached()
      yield* fake.say("old", { sentAt: 3_600_000 })
      yield* fake.awaitSent(1)

      assert.deepStrictEqual(yield* texts(fake), ["7200000"])
    }).pipe(inWorld({ answer: age }))
  })

  it.effect("an answer longer than the platform takes is split, in order", () =>
    Effect.gen(function* () {
      const fake = yield* attached({ capabilities: { textLimit: 10 } })
      yield* fake.say("x")
      const sent = yield* fake.awaitSent(3)

      assert.strictEqual(sent.map((message) => message.text).join(""), "one two three four five")
    }).pipe(inWorld({ answer: () => Effect.succeed("one two three four five") }))
  )
})

describe("a stop and the turns", () => {
  it.effect("F079: a running turn gets the drain's time to end, and its answer goes out", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make()
      const scope = yield* Scope.make()
      yield* (yield* Supervisor).attach(fake.platform).pipe(Scope.provide(scope))
      yield* fake.awaitConnects(1)
      yield* fake.say("3 s from done")
      yield* quiet
      const closing = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
      yield* quiet
      yield* TestClock.adjust("3 seconds")
      yield* quiet

      assert.deepStrictEqual(yield* texts(fake), ["echo: 3 s from done"])
      assert.isNotNull(closing.pollUnsafe())
    }).pipe(inWorld({ answer: (turn) => Effect.delay(echo(turn), "3 seconds") }))
  )

  it.effect("F083: a turn that hangs does not hold the stop beyond the drain", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make()
      const scope = yield* Scope.make()
      yield* (yield* Supervisor).attach(fake.platform).pipe(Scope.provide(scope))
      yield* fake.awaitConnects(1)
      yield* fake.say("never")
      yield* quiet
      const closing = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
      yield* quiet
      yield* TestClock.adjust("19 seconds")
      yield* quiet
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 seconds")
      yield* quiet

      assert.isDefined(closing.pollUnsafe())
      assert.strictEqual((yield* (yield* InboxStore).waiting).length, 1)
    }).pipe(inWorld({ answer: () => Effect.never }))
  )

  it.effect("F081: what arrives during the drain is not acknowledged and not lost", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make()
      const scope = yield* Scope.make()
      const supervisor = yield* Supervisor
      yield* supervisor.attach(fake.platform).pipe(Scope.provide(scope))
      yield* fake.awaitConnects(1)
      yield* fake.say("before")
      yield* quiet
      yield* Effect.forkScoped(Scope.close(scope, Exit.void))
      yield* quiet
      yield* fake.say("during")
      yield* quiet
      const acked = (yield* fake.acked).size
      yield* TestClock.adjust("10 seconds")
      yield* quiet
      yield* supervisor.attach(fake.platform)
      yield* quiet
      yield* TestClock.adjust("10 seconds")
      yield* fake.awaitSent(2)

      assert.strictEqual(acked, 1)
      assert.deepStrictEqual(yield* texts(fake), ["echo: before", "echo: during"])
    }).pipe(inWorld({ answer: (turn) => Effect.delay(echo(turn), "10 seconds") }))
  )

  it.effect("F080: a turn that the stop cut is run again with the same turn and the next attempt", () => {
    const seen: Array<string> = []
    const first = Deferred.makeUnsafe<void>()
    const hangsOnce = (turn: Turn) =>
      Effect.suspend(() => {
        seen.push(`${turn.turn} ${turn.attempt}`)
        return turn.attempt === 1 ? Effect.andThen(Deferred.succeed(first, undefined), Effect.never) : echo(turn)
      })
    return Effect.gen(function* () {
      const store = yield* Database
      const once = (say: boolean) =>
        Effect.gen(function* () {
          const fake = yield* FakePlatform.make()
          yield* (yield* Supervisor).attach(fake.platform)
          yield* fake.awaitConnects(1)
          if (!say) return yield* fake.awaitSent(1)
          yield* fake.say("cut")
          yield* Deferred.await(first)
          return []
        }).pipe(inWorld({ answer: hangsOnce, drain: Duration.zero, database: store }), Effect.scoped)
      yield* once(true)
      yield* once(false)

      assert.strictEqual(seen.length, 2)
      const [turn] = (seen[0] ?? "").split(" ")
      assert.deepStrictEqual(seen, [`${turn} 1`, `${turn} 2`])
    }).pipe(inWorld())
  })
})
