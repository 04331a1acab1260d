/** Reconnect, stop and start by hand, in each state of the link. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Outbox } from "../../src/actors/Outbox.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import type { LinkErrorReason } from "../../src/domain/LinkError.ts"
import * as LinkError from "../../src/domain/LinkError.ts"
import { defaults } from "../../src/domain/LinkSettings.ts"
import type { LinkState } from "../../src/domain/LinkState.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { echo, inWorld, quiet } from "./world.ts"

const exact = { ...defaults, retry: { ...defaults.retry, base: Duration.seconds(10), jitter: "none" } } as const

const attached = Effect.fnUntraced(function* (options: FakePlatform.FakePlatformOptions = {}) {
  const fake = yield* FakePlatform.make({ settings: exact, ...options })
  yield* (yield* Supervisor).attach(fake.platform)
  yield* quiet
  return fake
})

const linkOf = Effect.fnUntraced(function* (id: PlatformId) {
  const links = yield* (yield* Supervisor).links
  return links.find((link) => link.id === id) ?? assert.fail(`no link ${id}`)
})

const stateOf = (id: PlatformId) => Effect.map(linkOf(id), ({ state }) => state)

const refusal: LinkErrorReason = new LinkError.Bootstrap({ code: "503", detail: "down" })
const wrongSecret: LinkErrorReason = new LinkError.Auth({ code: "10014", detail: "app secret invalid" })

/** What the platform does with attempts, and the state that the link is in then. */
const states: ReadonlyArray<readonly [LinkState, FakePlatform.ConnectScript]> = [
  ["connected", Effect.void],
  ["connecting", Effect.never],
  ["backoff", Effect.fail(refusal)],
  ["failed", Effect.fail(wrongSecret)]
]

/** A platform whose link is in this state. */
const inState = Effect.fnUntraced(function* (state: LinkState, script: FakePlatform.ConnectScript) {
  const fake = yield* FakePlatform.make({ settings: exact })
  yield* fake.onConnect(script)
  yield* (yield* Supervisor).attach(fake.platform)
  yield* quiet
  // The first retry comes at once; the one after it waits.
  yield* TestClock.adjust("1 second")
  yield* quiet
  assert.strictEqual(yield* stateOf(fake.platform.id), state)
  return fake
})

describe("reconnect by hand", () => {
  it.effect("F219: replaces the link of this platform and of no other, without a disconnect", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const one = yield* attached({ id: "one" })
      const other = yield* attached({ id: "other" })

      assert.isTrue(yield* supervisor.reconnect(one.platform.id))
      yield* one.awaitConnects(2)
      yield* quiet

      const { connects, disconnects, state } = yield* linkOf(one.platform.id)
      assert.deepStrictEqual({ connects, disconnects, state }, { connects: 2, disconnects: 0, state: "connected" })
      assert.deepStrictEqual(yield* other.counts, { attempts: 1, connects: 1, open: 1 })
    }).pipe(inWorld())
  )

  it.effect.each(states.filter(([state]) => state === "backoff" || state === "failed"))(
    "F219: in %s tries at once",
    ([state, script]) =>
      Effect.gen(function* () {
        const fake = yield* inState(state, script)
        const { attempts } = yield* fake.counts
        yield* fake.onConnect(Effect.void)

        yield* (yield* Supervisor).reconnect(fake.platform.id)
        yield* quiet

        assert.strictEqual(yield* stateOf(fake.platform.id), "connected")
        assert.strictEqual((yield* fake.counts).attempts, attempts + 1)
      }).pipe(inWorld())
  )

  it.effect("leaves an attempt that is under way alone: there is never a second one beside it", () =>
    Effect.gen(function* () {
      const fake = yield* inState("connecting", Effect.never)

      assert.isTrue(yield* (yield* Supervisor).reconnect(fake.platform.id))
      yield* quiet

      assert.deepStrictEqual(yield* fake.counts, { attempts: 1, connects: 0, open: 0 })
    }).pipe(inWorld())
  )

  it.effect("of what was stopped by hand, or is not there, does nothing and says so", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* attached()
      yield* supervisor.stop(fake.platform.id)

      const asked = yield* Effect.forEach([fake.platform.id, PlatformId.make("nobody")], supervisor.reconnect)
      yield* TestClock.adjust("1 hour")
      yield* quiet

      assert.deepStrictEqual(asked, [false, false])
      assert.deepStrictEqual(yield* fake.counts, { attempts: 1, connects: 1, open: 0 })
    }).pipe(inWorld())
  )
})

describe("stop and start by hand", () => {
  it.effect.each(states)("a stop in %s never reconnects, until a start does", ([state, script]) =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* inState(state, script)

      assert.isTrue(yield* supervisor.stop(fake.platform.id))
      const { attempts, open } = yield* fake.counts
      assert.deepStrictEqual([yield* stateOf(fake.platform.id), open], ["stopped", 0])
      yield* TestClock.adjust("2 hours")
      yield* quiet
      assert.strictEqual((yield* fake.counts).attempts, attempts)

      yield* fake.onConnect(Effect.void)
      assert.isTrue(yield* supervisor.start(fake.platform.id))
      assert.notStrictEqual(yield* stateOf(fake.platform.id), "stopped")
      yield* quiet
      assert.strictEqual(yield* stateOf(fake.platform.id), "connected")
      assert.strictEqual((yield* fake.counts).attempts, attempts + 1)
    }).pipe(inWorld())
  )

  it.effect("what is said and sent meanwhile is heard and sent after the start, once and in order", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const outbox = yield* Outbox
      const fake = yield* attached()
      yield* supervisor.stop(fake.platform.id)

      yield* outbox.post({ to: { platform: fake.platform.id, chat: "c1", thread: null }, text: "posted" })
      yield* fake.say("said")
      yield* TestClock.adjust("1 hour")
      yield* quiet
      assert.deepStrictEqual(yield* fake.sent, [])

      yield* supervisor.start(fake.platform.id)
      const sent = yield* fake.awaitSent(2)
      assert.deepStrictEqual(
        sent.map(({ text }) => text),
        ["posted", "echo: said"]
      )
    }).pipe(inWorld())
  )

  it.effect("a running turn ends, and its reply goes out, before the link is closed", () => {
    const answer = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* attached({ shape: "reply" })
      yield* fake.say("slow")
      yield* quiet

      const stopping = yield* Effect.forkScoped(supervisor.stop(fake.platform.id))
      yield* quiet
      assert.strictEqual((yield* fake.counts).open, 1)
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.join(stopping)

      assert.deepStrictEqual(
        (yield* fake.sent).map(({ text }) => text),
        ["echo: slow"]
      )
      assert.strictEqual((yield* fake.counts).open, 0)
    }).pipe(inWorld({ answer: (turn) => Effect.andThen(Deferred.await(answer), echo(turn)) }))
  })

  it.effect("goes on when whoever asked for it is gone", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* attached()
      yield* fake.onSend(() => Effect.never)
      yield* fake.say("hello")
      yield* quiet

      const asking = yield* Effect.forkScoped(supervisor.stop(fake.platform.id))
      yield* quiet
      yield* Fiber.interrupt(asking)
      yield* TestClock.adjust("20 seconds")
      yield* quiet

      assert.strictEqual(yield* stateOf(fake.platform.id), "stopped")
    }).pipe(inWorld())
  )

  it.effect("twice is once, and of what is not there is nothing", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* attached()
      const both = [fake.platform.id, PlatformId.make("nobody")]

      const started = yield* Effect.forEach(both, supervisor.start)
      yield* quiet
      assert.deepStrictEqual(yield* fake.counts, { attempts: 1, connects: 1, open: 1 })
      yield* supervisor.stop(fake.platform.id)
      const stopped = yield* Effect.forEach(both, supervisor.stop)

      assert.deepStrictEqual(
        [started, stopped],
        [
          [true, false],
          [true, false]
        ]
      )
      assert.strictEqual((yield* linkOf(fake.platform.id)).connects, 1)
    }).pipe(inWorld())
  )

  it.effect("does not count for escalation, nor does the time that it took once it is started", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* inState("backoff", Effect.fail(refusal))
      const escalated = yield* Effect.forkScoped(Effect.flip(supervisor.escalated))
      yield* supervisor.stop(fake.platform.id)
      yield* TestClock.adjust("1 hour")
      yield* quiet
      yield* supervisor.start(fake.platform.id)
      yield* TestClock.adjust("14 minutes")
      yield* quiet
      assert.isUndefined(escalated.pollUnsafe())

      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual((yield* Fiber.join(escalated)).platforms, ["fake"])
    }).pipe(inWorld({ escalateAfter: Duration.minutes(15) }))
  )

  it.effect("a platform that is stopped leaves with its scope, without another word", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make({ settings: exact })
      const scope = yield* Scope.make()
      yield* supervisor.attach(fake.platform).pipe(Scope.provide(scope))
      yield* fake.awaitConnects(1)
      yield* supervisor.stop(fake.platform.id)

      yield* Scope.close(scope, Exit.void)

      assert.deepStrictEqual(yield* supervisor.links, [])
      assert.isFalse(yield* supervisor.start(fake.platform.id))
    }).pipe(inWorld())
  )

  it.effect("a start that waits for the store does not hold the gateway's own stop", () => {
    let hangs = false
    return Effect.gen(function* () {
      const real = yield* Database
      const database = Database.of({
        ...real,
        read: (operation, query) => (hangs ? Effect.never : real.read(operation, query))
      })
      yield* Effect.gen(function* () {
        const supervisor = yield* Supervisor
        const fake = yield* FakePlatform.make({ settings: exact })
        const scope = yield* Scope.make()
        yield* supervisor.attach(fake.platform).pipe(Scope.provide(scope))
        yield* fake.awaitConnects(1)
        yield* supervisor.stop(fake.platform.id)
        hangs = true
        const starting = yield* Effect.forkScoped(supervisor.start(fake.platform.id))
        yield* quiet
        assert.isUndefined(starting.pollUnsafe())

        const closing = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
        yield* quiet

        assert.isDefined(closing.pollUnsafe())
        assert.deepStrictEqual(yield* fake.counts, { attempts: 1, connects: 1, open: 0 })
      }).pipe(inWorld({ database }))
    }).pipe(Effect.provide(Layer.fresh(Store.layerMemory)))
  })
})
