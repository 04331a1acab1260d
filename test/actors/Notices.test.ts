/** Alarms by another road, on virtual time. */
import { assert, describe, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Bulletin, Notice, Trouble } from "../../src/actors/bulletin.ts"
import { bulletinOf } from "../../src/actors/bulletin.ts"
import type { Road } from "../../src/actors/Notices.ts"
import { Notices, RoadBlocked } from "../../src/actors/Notices.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import * as LinkError from "../../src/domain/LinkError.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { inWorld, quiet } from "./world.ts"

const troubleOf = (name: string): Trouble => ({
  key: name,
  platform: PlatformId.make(name),
  what: `${name} is down`,
  hint: null
})

/** A road that writes down what it was told. */
const makeRoad = (name: string, platform: string | null = null) => {
  const told: Array<Bulletin> = []
  const road: Road = {
    name,
    platform: platform === null ? null : PlatformId.make(platform),
    tell: (bulletin) => Effect.sync(() => void told.push(bulletin))
  }
  return { road, told, texts: () => told.map(({ text }) => text) }
}

const after = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), quiet)

const down = Effect.fail(new LinkError.Bootstrap({ code: "503", detail: "down" }))

describe("a bulletin", () => {
  const raised = (name: string, hint: string | null = null): Notice => ({
    _tag: "Raised",
    trouble: { ...troubleOf(name), hint }
  })

  it("says what happened, what to do, and what is still so", () => {
    const cleared: Notice = { _tag: "Cleared", key: "b", what: "b is back" }
    const { text } = bulletinOf("evergate", [raised("a", "look at it"), cleared], [troubleOf("a"), troubleOf("c")])

    assert.strictEqual(text, "evergate\n- a is down; look at it\n- b is back\nStill so: c is down")
  })

  it("counts what is too much to read", () => {
    const many = Array.from({ length: 25 }, (_, index) => raised(`a${index}`))
    const lines = bulletinOf("evergate", many, []).text.split("\n")

    assert.strictEqual(lines.length, 23)
    assert.deepStrictEqual(lines.slice(-2), ["- and 5 more", "All is well again."])
  })
})

describe("alarms", () => {
  it.effect("a platform that is down past alarmAfter is told once, and once more when it is back", () =>
    Effect.gen(function* () {
      const { road, texts } = makeRoad("hook")
      yield* (yield* Notices).serve(road)
      const fake = yield* FakePlatform.make({ id: "slack" })
      yield* (yield* Supervisor).attach(fake.platform)
      yield* fake.awaitConnects(1)
      yield* fake.onConnect(down)
      yield* fake.drop()
      yield* quiet

      yield* after("115 seconds")
      const before = texts()
      yield* after("1 minute")
      const [first] = texts()
      yield* after("10 minutes")
      const once = texts().length
      yield* fake.onConnect(Effect.void)
      yield* fake.awaitConnects(2).pipe(Effect.raceFirst(Effect.forever(after("1 second"))))
      yield* after("20 seconds")

      assert.deepStrictEqual([before, once], [[], 1])
      assert.match(first ?? "", /^evergate\n- slack has been down for 2m( \ds)? \(Bootstrap: [^)]*\); .+$/)
      assert.deepStrictEqual(texts().slice(1), ["evergate\n- slack is back\nAll is well again."])
    }).pipe(inWorld())
  )

  it.effect("what is stopped by hand is not waited for, and a gateway that stops says nothing of it", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const supervisor = yield* Supervisor
      const supervision = yield* Supervision
      const [one, other] = [yield* FakePlatform.make({ id: "one" }), yield* FakePlatform.make({ id: "other" })]
      for (const fake of [one, other]) {
        yield* fake.onConnect(down)
        yield* supervisor.attach(fake.platform)
      }
      yield* after("3 minutes")
      const both = yield* notices.open

      yield* supervisor.stop(one.platform.id)
      yield* after("10 seconds")
      const left = yield* notices.open
      yield* supervision.beginStop
      yield* supervisor.stop(other.platform.id)
      yield* after("10 seconds")

      assert.deepStrictEqual(
        [both, left, yield* notices.open].map((open) => open.map(({ key }) => key)),
        [["platform one", "platform other"], ["platform other"], ["platform other"]]
      )
    }).pipe(inWorld())
  )

  it.effect("what happens within 10 s is one message, and no road is told more than once a minute", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const { road, told } = makeRoad("hook")
      yield* notices.serve(road)
      yield* notices.raise(troubleOf("a"))
      yield* notices.raise(troubleOf("a"))
      yield* after("9 seconds")
      yield* notices.raise(troubleOf("b"))
      const early = told.length
      yield* after("1 second")
      const first = told.length
      yield* notices.clear("a", "a is back")
      yield* notices.clear("c", "c is back")
      yield* after("59 seconds")
      const within = told.length
      yield* after("1 second")

      assert.deepStrictEqual([early, first, within, told.length], [0, 1, 1, 2])
      assert.deepStrictEqual(
        told.map(({ raised, cleared, open }) => [raised.length, cleared.length, open.length]),
        [
          [2, 0, 2],
          [0, 1, 1]
        ]
      )
    }).pipe(inWorld())
  )

  it.effect("a road over the platform in trouble is spared where another exists, and used where none does", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const [slack, hook] = [makeRoad("slack:C0OPS", "slack"), makeRoad("hook")]
      const scope = yield* Scope.make()
      yield* notices.serve(slack.road)
      yield* Scope.provide(notices.serve(hook.road), scope)
      yield* notices.raise(troubleOf("slack"))
      yield* after("10 seconds")
      const spared = [slack.told.length, hook.told.length]

      yield* Scope.close(scope, Exit.void)
      yield* notices.raise(troubleOf("feishu"))
      yield* after("70 seconds")

      assert.deepStrictEqual(spared, [0, 1])
      assert.deepStrictEqual([slack.told.length, hook.told.length], [1, 1])
    }).pipe(inWorld())
  )

  it.effect("a road that refuses is asked again, not for ever, holds up no other, and is told the next thing", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const hook = makeRoad("hook")
      let tries = 0
      const broken: Road = {
        name: "broken",
        platform: null,
        tell: () => Effect.suspend(() => (++tries > 6 ? Effect.void : new RoadBlocked({ detail: "no" })))
      }
      yield* notices.serve(broken)
      yield* notices.serve(hook.road)
      yield* notices.raise(troubleOf("a"))
      yield* after("10 seconds")
      const prompt = hook.told.length
      yield* after("10 minutes")
      const given = tries
      yield* notices.raise(troubleOf("b"))
      yield* after("70 seconds")

      assert.deepStrictEqual([prompt, given, tries], [1, 6, 7])
    }).pipe(inWorld())
  )

  it.effect("a road that hangs is left after its time, and stands in nobody's way", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      yield* notices.serve({ name: "hole", platform: null, tell: () => Effect.never })
      yield* notices.raise(troubleOf("a"))
      let worst: number | null = null
      for (let minute = 0; minute < 10; minute++) {
        yield* after("1 minute")
        for (const { overdueMillis } of yield* (yield* Supervision).parts) worst = overdueMillis ?? worst
      }

      assert.isNull(worst)
    }).pipe(inWorld())
  )

  it.effect("what an observer finds is told once, and once that it finds it no more; it speaks for nobody else", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const { road, told } = makeRoad("hook")
      yield* notices.serve(road)
      yield* notices.raise(troubleOf("a"))
      yield* notices.report("doctor", [{ ...troubleOf("disk"), platform: null }])
      yield* notices.report("doctor", [{ ...troubleOf("disk"), platform: null }])
      yield* after("10 seconds")
      yield* notices.report("doctor", [])
      yield* after("1 minute")

      assert.deepStrictEqual(
        told.map(({ raised, cleared, open }) => [raised, cleared, open].map((all) => all.map(({ key }) => key))),
        [
          [["a", "doctor disk"], [], ["a", "doctor disk"]],
          [[], ["doctor disk"], ["a"]]
        ]
      )
    }).pipe(inWorld())
  )

  it.effect("a road that is new hears what is wrong already", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const hook = makeRoad("hook")
      yield* notices.raise(troubleOf("a"))
      yield* notices.serve(hook.road)
      yield* after("10 seconds")

      assert.deepStrictEqual(hook.texts(), ["evergate\n- a is down"])
    }).pipe(inWorld())
  )
})
