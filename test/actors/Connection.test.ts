import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import * as LinkError from "../../src/domain/LinkError.ts"
import { defaults } from "../../src/domain/LinkSettings.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { inWorld, quiet } from "./world.ts"

/** No chance in the waits, so that a test can name them. */
const exact = { ...defaults, retry: { ...defaults.retry, jitter: "none" } } as const

const attached = Effect.fnUntraced(function* (options: FakePlatform.FakePlatformOptions = {}) {
  const supervisor = yield* Supervisor
  const fake = yield* FakePlatform.make({ settings: exact, ...options })
  yield* supervisor.attach(fake.platform)
  return fake
})

const linkOf = Effect.fnUntraced(function* (id = "fake") {
  const links = yield* (yield* Supervisor).links
  const link = links.find((other) => other.id === id)
  return link ?? assert.fail(`no link ${id}`)
})

describe("Connection", () => {
  it.effect("F034, F036: each of five reconnects delivers the next message exactly once", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      for (let round = 1; round <= 5; round++) {
        yield* fake.awaitConnects(round)
        yield* fake.say(`message ${round}`)
        yield* fake.awaitSent(round)
        yield* fake.drop()
        yield* TestClock.adjust("2 minutes")
      }

      assert.deepStrictEqual(
        (yield* fake.sent).map((message) => message.text),
        [1, 2, 3, 4, 5].map((round) => `echo: message ${round}`)
      )
    }).pipe(inWorld())
  )

  it.effect("F001, F050: silence on the path is noticed within interval and timeout, and the link is replaced", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.awaitConnects(1)
      yield* fake.goSilent("path")

      yield* TestClock.adjust("26 seconds")
      yield* fake.awaitConnects(2)

      const link = yield* linkOf()
      assert.strictEqual(link.state, "connected")
      assert.strictEqual(link.lastError?.kind, "KeepaliveTimeout")
      assert.include(link.lastError?.message, "path clock")
    }).pipe(inWorld())
  )

  it.effect("a dead session on a live path is noticed by the session's clock", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.awaitConnects(1)
      yield* fake.goSilent("session")

      yield* TestClock.adjust("26 seconds")
      yield* fake.awaitConnects(2)

      assert.include((yield* linkOf()).lastError?.message, "session clock")
    }).pipe(inWorld())
  )

  it.effect("a quiet, healthy link is left alone", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.awaitConnects(1)

      yield* TestClock.adjust("3 hours")

      assert.deepStrictEqual(yield* fake.counts, { attempts: 1, connects: 1, open: 1 })
    }).pipe(inWorld())
  )

  it.effect("F003, F010: five refusals, and the sixth attempt succeeds; never two at once", () =>
    Effect.gen(function* () {
      let refusals = 5
      const fake = yield* attached()
      yield* fake.awaitConnects(1)
      yield* fake.onConnect(
        Effect.suspend(() => (refusals-- > 0 ? Effect.fail(new LinkError.Network({ detail: "down" })) : Effect.void))
      )
      yield* fake.drop(new LinkError.ClosedByServer({ code: 1011, reason: "keepalive ping timeout" }))

      yield* quiet
      yield* TestClock.adjust("1 seconds")
      yield* quiet
      const between = yield* linkOf()
      yield* TestClock.adjust("1 minute")
      yield* fake.awaitConnects(2)
      yield* fake.say("still there?")
      yield* fake.awaitSent(1)

      assert.strictEqual(between.state, "backoff")
      assert.strictEqual(between.attempt, 2)
      assert.deepStrictEqual(yield* fake.counts, { attempts: 7, connects: 2, open: 1 })
    }).pipe(inWorld())
  )

  it.effect("F030: a loop that returns is a disconnect, and waits like one", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      for (let round = 1; round <= 4; round++) {
        yield* fake.awaitConnects(round)
        yield* fake.end
        yield* quiet
        yield* TestClock.adjust(Duration.seconds(round === 1 ? 0 : 2 ** (round - 2)))
      }
      yield* fake.awaitConnects(5)

      assert.strictEqual((yield* linkOf()).lastError?.kind, "Ended")
    }).pipe(inWorld())
  )

  it.effect("F028: links that close as soon as they are up keep the backoff growing", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      const dropping = yield* Effect.forkScoped(
        Effect.gen(function* () {
          for (let round = 1; ; round++) {
            yield* fake.awaitConnects(round)
            yield* fake.drop()
          }
        })
      )

      yield* TestClock.adjust("5 minutes")
      yield* Fiber.interrupt(dropping)

      const { attempts } = yield* fake.counts
      assert.isAtLeast(attempts, 20)
      assert.isAtMost(attempts, 26)
    }).pipe(inWorld())
  )

  it.effect("a link that was stable starts the next backoff afresh", () =>
    Effect.gen(function* () {
      let refused = 0
      const fake = yield* attached()
      yield* fake.awaitConnects(1)
      yield* fake.onConnect(
        Effect.suspend(() => (refused++ < 6 ? Effect.fail(new LinkError.Network({ detail: "down" })) : Effect.void))
      )
      yield* fake.drop()
      yield* TestClock.adjust("2 minutes")
      yield* fake.awaitConnects(2)
      yield* TestClock.adjust("61 seconds")
      yield* fake.drop()

      yield* fake.awaitConnects(3)
      yield* quiet

      assert.strictEqual((yield* linkOf()).state, "connected")
    }).pipe(inWorld())
  )

  it.effect("F019: a planned goodbye opens the next link at once, and the old one is read and acknowledged on", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.awaitConnects(1)
      yield* fake.goAway()
      yield* fake.awaitConnects(2)
      const during = yield* fake.counts
      yield* fake.say("on the new one")
      yield* fake.awaitSent(1)
      yield* TestClock.adjust("15 seconds")

      const link = yield* linkOf()
      assert.strictEqual(during.open, 2)
      assert.strictEqual((yield* fake.counts).open, 1)
      assert.strictEqual(link.connects, 2)
      assert.strictEqual(link.disconnects, 0)
    }).pipe(inWorld())
  )

  it.effect("F018: a platform that says nothing but goodbye is waited for, and never has more than two sockets", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      let most = 0
      const leaving = yield* Effect.forkScoped(
        Effect.gen(function* () {
          for (let round = 1; ; round++) {
            yield* fake.awaitConnects(round)
            most = Math.max(most, (yield* fake.counts).open)
            yield* fake.goAway("too_many_websockets")
          }
        })
      )

      yield* TestClock.adjust("5 minutes")
      yield* Fiber.interrupt(leaving)

      assert.isAtMost((yield* fake.counts).attempts, 30)
      assert.isAtMost(most, 2)
    }).pipe(inWorld())
  )

  it.effect("F061: refused credentials are failed, with a hint, and recover by themselves", () =>
    Effect.gen(function* () {
      let refused = true
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* fake.onConnect(
        Effect.suspend(() => (refused ? Effect.fail(new LinkError.Auth({ code: "514", detail: "no" })) : Effect.void))
      )
      yield* supervisor.attach(fake.platform)
      yield* fake.awaitAttempts(1)
      yield* TestClock.adjust("4 minutes")
      const failed = yield* linkOf()
      refused = false
      yield* TestClock.adjust("2 minutes")
      yield* fake.awaitConnects(1)

      assert.strictEqual(failed.state, "failed")
      assert.strictEqual(failed.attempt, 1)
      assert.include(failed.lastError?.hint, "id and secret")
      assert.strictEqual((yield* linkOf()).state, "connected")
    }).pipe(inWorld())
  )

  it.effect("a crash of the adapter is a Defect that waits like any failure", () =>
    Effect.gen(function* () {
      let crashes = 1
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* fake.onConnect(Effect.suspend(() => (crashes-- > 0 ? Effect.die(new Error("a bug")) : Effect.void)))
      yield* supervisor.attach(fake.platform)
      yield* fake.awaitConnects(1)

      assert.strictEqual((yield* linkOf()).lastError?.kind, "Defect")
    }).pipe(inWorld())
  )

  it.effect("F009: an adapter that hangs while connecting is given up in bounded time", () =>
    Effect.gen(function* () {
      let hangs = 1
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* fake.onConnect(Effect.suspend(() => (hangs-- > 0 ? Effect.never : Effect.void)))
      yield* supervisor.attach(fake.platform)
      yield* fake.awaitAttempts(1)

      yield* TestClock.adjust("60 seconds")
      yield* fake.awaitConnects(1)

      assert.strictEqual((yield* linkOf()).lastError?.kind, "ConnectTimeout")
    }).pipe(inWorld())
  )

  it.effect("by hand: a link that waits tries now, one that is up is handed over", () =>
    Effect.gen(function* () {
      let refused = true
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* fake.onConnect(
        Effect.suspend(() => (refused ? Effect.fail(new LinkError.Auth({ code: "514", detail: "no" })) : Effect.void))
      )
      yield* supervisor.attach(fake.platform)
      yield* fake.awaitAttempts(1)
      refused = false
      yield* supervisor.reconnect(fake.platform.id)
      yield* fake.awaitConnects(1)
      yield* quiet
      yield* supervisor.reconnect(fake.platform.id)
      yield* fake.awaitConnects(2)

      assert.isFalse(yield* supervisor.reconnect(PlatformId.make("nobody")))
      assert.strictEqual((yield* linkOf()).disconnects, 0)
    }).pipe(inWorld())
  )

  it.effect("F002, F007, F056: one platform's trouble leaves the others their very links", () =>
    Effect.gen(function* () {
      const broken = yield* attached({ id: "broken" })
      const healthy = yield* attached({ id: "healthy" })
      yield* broken.awaitConnects(1)
      yield* healthy.awaitConnects(1)
      for (let round = 1; round <= 10; round++) {
        yield* broken.drop()
        yield* TestClock.adjust("10 seconds")
      }
      yield* healthy.say("all well?")
      yield* healthy.awaitSent(1)

      assert.deepStrictEqual(yield* healthy.counts, { attempts: 1, connects: 1, open: 1 })
      assert.deepStrictEqual(yield* broken.sent, [])
    }).pipe(inWorld())
  )

  it.effect("the timeline keeps what happened, newest first", () =>
    Effect.gen(function* () {
      const fake = yield* attached()
      yield* fake.awaitConnects(1)
      yield* fake.drop()
      yield* fake.awaitConnects(2)
      yield* TestClock.adjust("1 second")

      const timeline = yield* (yield* LinkStore).timeline(fake.platform.id, 10)
      assert.deepStrictEqual(
        timeline.map((change) => [change.state, change.kind]),
        [
          ["connected", null],
          ["connecting", null],
          ["backoff", "NoCloseFrame"],
          ["connected", null],
          ["connecting", null]
        ]
      )
    }).pipe(inWorld())
  )
})

describe("a stop", () => {
  const states = {
    connected: Effect.void,
    connecting: Effect.never,
    backoff: Effect.fail(new LinkError.Network({ detail: "down" })),
    failed: Effect.fail(new LinkError.Auth({ code: "514", detail: "no" }))
  }

  it.effect.each(Object.keys(states) as Array<keyof typeof states>)(
    "leaves no attempt and no link behind when %s",
    (state) =>
      Effect.gen(function* () {
        const supervisor = yield* Supervisor
        const fake = yield* FakePlatform.make({ settings: exact })
        yield* fake.onConnect(states[state])
        const scope = yield* Scope.make()
        yield* supervisor.attach(fake.platform).pipe(Scope.provide(scope))
        yield* fake.awaitAttempts(1)
        yield* quiet
        assert.strictEqual((yield* linkOf()).state, state)
        const before = yield* fake.counts

        yield* Scope.close(scope, Exit.void)
        yield* fake.onConnect(Effect.void)
        yield* TestClock.adjust("1 hour")

        assert.deepStrictEqual(yield* fake.counts, { ...before, open: 0 })
        assert.strictEqual((yield* (yield* LinkStore).timeline(fake.platform.id, 1))[0]?.state, "stopped")
      }).pipe(inWorld())
  )
})
