import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { look } from "../../src/actors/alarms.ts"
import { NetworkView } from "../../src/actors/NetworkView.ts"
import { judge, Pauses } from "../../src/actors/Pauses.ts"
import { supervise } from "../../src/actors/supervise.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import * as LinkError from "../../src/domain/LinkError.ts"
import * as LinkSettings from "../../src/domain/LinkSettings.ts"
import { initial, toConnected, toConnecting, toSetback } from "../../src/domain/LinkState.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { inWorld, quiet, withJumps } from "./world.ts"

const minute = { progressWithin: Duration.minutes(1) } as const

describe("supervise", () => {
  it.effect.each([
    ["fails", Effect.fail("no")],
    ["crashes", Effect.die(new Error("a bug"))],
    ["interrupts itself", Effect.interrupt],
    // A body that returns is a bug that its type cannot rule out in foreign code.
    ["returns", Effect.void as Effect.Effect<never>]
  ] as ReadonlyArray<readonly [string, Effect.Effect<never, unknown>]>)("restarts a part that %s", ([, end]) =>
    Effect.gen(function* () {
      let lives = 0
      const supervision = yield* Supervision
      yield* supervise("part", { ...minute, past: "slow" })(() =>
        Effect.suspend(() => (++lives === 1 ? end : Effect.never))
      )
      yield* quiet
      yield* TestClock.adjust("1 second")
      yield* quiet

      assert.strictEqual(lives, 2)
      assert.strictEqual((yield* supervision.parts)[0]?.restarts, 1)
    }).pipe(Effect.scoped, Effect.provide(Supervision.layer))
  )

  it.effect("past its intensity a part is given up, by its name", () =>
    Effect.gen(function* () {
      const supervision = yield* Supervision
      yield* supervise("part", { ...minute, past: "exit" })(() => Effect.die(new Error("a bug")))
      const gaveUp = yield* Effect.forkScoped(Effect.flip(supervision.gaveUp))
      for (let round = 0; round < 10; round++) {
        yield* quiet
        yield* TestClock.adjust("5 seconds")
      }

      assert.strictEqual((yield* Fiber.join(gaveUp)).part, "part")
    }).pipe(Effect.scoped, Effect.provide(Supervision.layer))
  )

  it.effect("past its intensity a part that may be slow is tried every 5 minutes", () =>
    Effect.gen(function* () {
      let lives = 0
      yield* supervise("part", { ...minute, past: "slow" })(() => Effect.suspend(() => Effect.die(`life ${++lives}`)))
      for (let round = 0; round < 10; round++) {
        yield* quiet
        yield* TestClock.adjust("5 seconds")
      }
      const soon = lives
      yield* TestClock.adjust("5 minutes")
      yield* quiet

      assert.strictEqual(soon, 6)
      assert.strictEqual(lives, 7)
    }).pipe(Effect.scoped, Effect.provide(Supervision.layer))
  )

  it.effect("the end of its scope ends a part, and nothing is left in the register", () =>
    Effect.gen(function* () {
      let lives = 0
      const supervision = yield* Supervision
      const scope = yield* Scope.make()
      yield* supervise("part", { ...minute, past: "exit" })(() =>
        Effect.suspend(() => {
          lives++
          return Effect.never
        })
      ).pipe(Scope.provide(scope))
      yield* quiet
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 hour")

      assert.strictEqual(lives, 1)
      assert.deepStrictEqual(yield* supervision.parts, [])
    }).pipe(Effect.provide(Supervision.layer))
  )

  it.effect("a part that misses its own deadline stands", () =>
    Effect.gen(function* () {
      const supervision = yield* Supervision
      yield* supervise("part", { ...minute, past: "exit" })(() => Effect.never)
      yield* quiet
      const before = (yield* supervision.parts)[0]?.overdueMillis
      yield* TestClock.adjust("61 seconds")

      assert.isNull(before)
      assert.strictEqual((yield* supervision.parts)[0]?.overdueMillis, 1_000)
    }).pipe(Effect.scoped, Effect.provide(Supervision.layer))
  )
})

describe("pauses", () => {
  it.each([
    ["nothing but the period", 1_000, 1_000, null],
    ["a busy loop", 2_500, 2_500, null],
    ["F048: a process that was stopped", 180_000, 180_000, { kind: "stopped", millis: 179_000 }],
    ["F049: a machine that slept", 3_600_000, 1_000, { kind: "clock", millis: 3_599_000 }],
    ["a clock that was set back", -599_000, 1_000, { kind: "clock", millis: -600_000 }]
  ] as const)("%s", (_, wall, elapsed, pause) => {
    assert.deepStrictEqual(judge(wall, elapsed), pause)
  })

  it.effect("F049: a jump of the wall clock is told within 5 s, and links are probed at once", () =>
    withJumps((jump) =>
      Effect.gen(function* () {
        const fake = yield* FakePlatform.make()
        yield* (yield* Supervisor).attach(fake.platform)
        yield* fake.awaitConnects(1)
        yield* quiet
        yield* fake.goSilent("path")
        const told = yield* Effect.forkScoped((yield* Pauses).next)
        yield* quiet
        jump(86_400_000)
        yield* TestClock.adjust("2 seconds")
        yield* quiet

        assert.isDefined(told.pollUnsafe())
        yield* TestClock.adjust("11 seconds")
        yield* fake.awaitConnects(2)
      }).pipe(inWorld())
    )
  )
})

describe("the network", () => {
  it.effect("another address is told within 5 s: a link that died with the old one is found at once", () =>
    Effect.suspend(() => {
      let place = "eth0 192.0.2.7"
      return Effect.gen(function* () {
        const fake = yield* FakePlatform.make()
        yield* (yield* Supervisor).attach(fake.platform)
        yield* fake.awaitConnects(1)
        // Just asked and answered: the next question would come 15 s later.
        yield* TestClock.adjust("15 seconds")
        yield* quiet
        yield* fake.goSilent("path")
        const told = yield* Effect.forkScoped((yield* Pauses).next)
        yield* quiet
        place = "wlan0 198.51.100.7"
        yield* TestClock.adjust("5 seconds")
        yield* quiet

        assert.deepStrictEqual(told.pollUnsafe(), Exit.succeed({ kind: "network", millis: 0 }))
        yield* TestClock.adjust("7 seconds")
        yield* fake.awaitConnects(2)
      }).pipe(inWorld(), Effect.provideService(NetworkView, { read: Effect.sync(() => place) }))
    })
  )

  it.effect("an attempt that waits is made at once when the network is another one", () =>
    Effect.suspend(() => {
      let place = ""
      const waiting = { ...LinkSettings.defaults.retry, first: Duration.minutes(10), jitter: "none" as const }
      return Effect.gen(function* () {
        const fake = yield* FakePlatform.make({ settings: { retry: waiting } })
        yield* fake.onConnect(Effect.fail(new LinkError.Dns({ host: "a.test", detail: "ENOTFOUND" })))
        yield* (yield* Supervisor).attach(fake.platform)
        yield* fake.awaitAttempts(1)
        yield* fake.onConnect(Effect.void)
        place = "wlan0 198.51.100.7"
        yield* TestClock.adjust("5 seconds")

        yield* fake.awaitConnects(1)
      }).pipe(inWorld(), Effect.provideService(NetworkView, { read: Effect.sync(() => place) }))
    })
  )

  it.effect("is no time that went by: downtime goes on counting", () =>
    Effect.suspend(() => {
      let place = 0
      return Effect.gen(function* () {
        const pauses = yield* Pauses
        const told = yield* Effect.forkScoped(pauses.nextOfTime)
        yield* quiet
        for (let i = 0; i < 5; i++) {
          place++
          yield* TestClock.adjust("2 seconds")
          yield* quiet
        }

        assert.isUndefined(told.pollUnsafe())
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.provideMerge(Pauses.layer, Supervision.layer)),
        Effect.provideService(NetworkView, { read: Effect.sync(() => String(place)) })
      )
    })
  )
})

describe("alarms", () => {
  const status = initial(PlatformId.make("a"), "fake", 0)
  const settings = { alarmAfterMillis: 120_000, escalateAfterMillis: 900_000 }
  const reset = new LinkError.LinkError({ platform: status.id, reason: new LinkError.NoCloseFrame({ detail: "" }) })
  const up = toConnected("host")(status, 0)
  const down = toSetback("backoff", reset, Duration.seconds(1))(up, 0)
  const failed = toSetback("failed", reset, Duration.minutes(5))(up, 0)
  const nobody = new Set<PlatformId>()

  it("a platform that is down past alarmAfter is told of once, and once more when it is back", () => {
    assert.deepStrictEqual(look([down], nobody, settings, 0, 119_999).raised, [])
    assert.deepStrictEqual(look([down], nobody, settings, 0, 120_000).raised, [down])
    assert.deepStrictEqual(look([down], new Set([down.id]), settings, 0, 180_000).raised, [])
    assert.deepStrictEqual(look([up], new Set([up.id]), settings, 0, 180_000).cleared, [up])
  })

  it("F068: only when no platform has been connected for escalate.after is the process given up", () => {
    const other = { ...up, id: PlatformId.make("b") }

    assert.isNull(look([down], nobody, settings, 0, 899_999).deafMillis)
    assert.strictEqual(look([down], nobody, settings, 0, 900_000).deafMillis, 900_000)
    assert.isNull(look([down, other], nobody, settings, 0, 900_000).deafMillis)
    assert.isNull(look([down], nobody, { ...settings, escalateAfterMillis: null }, 0, 900_000).deafMillis)
  })

  it("what needs a person is alarmed about and heals by no restart, not even while it asks again", () => {
    const asking = toConnecting(failed, 600_000)

    assert.isNull(look([failed], nobody, settings, 0, 900_000).deafMillis)
    assert.isNull(look([asking], nobody, settings, 0, 900_000).deafMillis)
    assert.deepStrictEqual(look([failed], nobody, settings, 0, 900_000).raised, [failed])
  })

  it("sleep is no downtime: the count starts anew after it", () => {
    assert.isNull(look([down], nobody, settings, 500_000, 900_000).deafMillis)
  })

  it.effect("F005, F068: a platform that refuses every attempt ends the process only after escalate.after", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make()
      yield* fake.onConnect(Effect.fail(new LinkError.Bootstrap({ code: "503", detail: "down" })))
      yield* supervisor.attach(fake.platform)
      const escalated = yield* Effect.forkScoped(Effect.flip(supervisor.escalated))
      yield* quiet
      yield* TestClock.adjust("14 minutes")
      yield* quiet
      assert.isUndefined(escalated.pollUnsafe())
      yield* TestClock.adjust("2 minutes")

      assert.deepStrictEqual((yield* Fiber.join(escalated)).platforms, ["fake"])
    }).pipe(inWorld({ escalateAfter: Duration.minutes(15) }))
  )

  it.effect.each([0.5, 1.5, 4.5])("a night's sleep that ends %d s before a look is no downtime either", (before) =>
    withJumps((jump) =>
      Effect.gen(function* () {
        const supervisor = yield* Supervisor
        const fake = yield* FakePlatform.make()
        yield* fake.onConnect(Effect.fail(new LinkError.Bootstrap({ code: "503", detail: "down" })))
        yield* supervisor.attach(fake.platform)
        const escalated = yield* Effect.forkScoped(Effect.flip(supervisor.escalated))
        yield* quiet
        yield* TestClock.adjust(Duration.seconds(65 - before))
        yield* quiet

        jump(8 * 3_600_000)
        yield* TestClock.adjust("14 minutes")
        yield* quiet

        assert.isUndefined(escalated.pollUnsafe())
      }).pipe(inWorld({ escalateAfter: Duration.minutes(15) }))
    )
  )
})

describe("layers", () => {
  it.effect("two platforms of one name are refused", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const first = yield* FakePlatform.make({ id: "same" })
      const second = yield* FakePlatform.make({ id: "same" })
      yield* supervisor.attach(first.platform)

      const exit = yield* Effect.exit(Effect.scoped(supervisor.attach(second.platform)))

      assert.isTrue(Exit.isFailure(exit))
    }).pipe(inWorld())
  )

  it.effect("an adapter's layer attaches and leaves with its scope", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make()
      const supervisor = yield* Supervisor
      yield* Effect.gen(function* () {
        yield* fake.awaitConnects(1)
      }).pipe(Effect.provide(Layer.effectDiscard(supervisor.attach(fake.platform))))

      assert.strictEqual((yield* fake.counts).open, 0)
      assert.deepStrictEqual(yield* supervisor.links, [])
    }).pipe(inWorld())
  )
})
