/** The doctor's visits on virtual time: when they are, and what of a finding is told. */
import { assert, describe, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Feed } from "../../src/actors/Feed.ts"
import { Notices } from "../../src/actors/Notices.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import * as Daily from "../../src/doctor/daily.ts"
import type { Finding } from "../../src/domain/Finding.ts"
import { about } from "../../src/domain/Finding.ts"
import { quiet } from "../actors/world.ts"

const clock = about("feishu").fail("clock", "10m behind", "set the clock")
const open = about(null).warn("files", "it can be read by others", "chmod")
const well = about(null).ok("store", "sound")

const ground = Layer.provideMerge(Notices.layer({ gateway: "evergate" }), Layer.merge(Supervision.layer, Feed.layer))

/** A gateway that is visited; each visit finds what `found` says. */
const visited = (
  test: (patient: {
    readonly find: (...findings: ReadonlyArray<Finding>) => void
    readonly visits: () => number
    /** What was told since it was asked last. */
    readonly told: Effect.Effect<
      ReadonlyArray<readonly [raised: ReadonlyArray<string>, cleared: ReadonlyArray<string>]>
    >
    readonly alarms: Effect.Effect<ReadonlyArray<string>>
    readonly pass: (time: Duration.Input) => Effect.Effect<void>
  }) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    let found: ReadonlyArray<Finding> = [well]
    let visits = 0
    const feed = yield* Feed
    const notices = yield* Notices
    const events = yield* Queue.unbounded<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>()
    yield* Effect.forkScoped(
      Stream.runForEach(feed.events, (event) =>
        event._tag === "DiagnosisChanged"
          ? Queue.offer(events, [
              event.raised.map(({ check }) => check),
              event.cleared.map(({ check }) => check)
            ] as const)
          : Effect.void
      )
    )
    yield* Layer.build(
      Daily.layer(
        Effect.sync(() => {
          visits++
          return found
        })
      )
    )
    yield* quiet
    yield* test({
      find: (...findings) => {
        found = [well, ...findings]
      },
      visits: () => visits,
      told: Queue.clear(events),
      alarms: Effect.map(notices.open, (troubles) => troubles.map(({ key }) => key)),
      pass: (time) => Effect.andThen(TestClock.adjust(time), quiet)
    })
  }).pipe(Effect.scoped, Effect.provide(ground))

describe("the doctor's visit", () => {
  it.effect("is once a day, after the start has settled, while all is well", () =>
    visited(({ pass, told, visits }) =>
      Effect.gen(function* () {
        yield* pass("4 minutes")
        const before = visits()
        yield* pass("1 minute")
        const first = visits()
        yield* pass("3 days")

        assert.deepStrictEqual([before, first, visits()], [0, 1, 4])
        assert.deepStrictEqual(yield* told, [])
      })
    )
  )

  it.effect("tells a failure when it is found again, once, alarms about it, and tells its end", () =>
    visited(({ alarms, find, pass, told }) =>
      Effect.gen(function* () {
        find(clock)
        yield* pass("5 minutes")
        const atFirst = yield* told
        yield* pass("5 minutes")
        const again = yield* told
        const alarmed = yield* alarms
        yield* pass("5 hours")
        const later = yield* told
        find()
        yield* pass("1 hour")

        assert.deepStrictEqual([atFirst, again, later, yield* told], [[], [[["clock"], []]], [], [[[], ["clock"]]]])
        assert.deepStrictEqual(alarmed, ["doctor clock feishu"])
        assert.deepStrictEqual(yield* alarms, [])
      })
    )
  )

  it.effect("forgets what only one visit found", () =>
    visited(({ alarms, find, pass, told }) =>
      Effect.gen(function* () {
        find(clock)
        yield* pass("5 minutes")
        find()
        yield* pass("1 day")

        assert.deepStrictEqual(yield* told, [])
        assert.deepStrictEqual(yield* alarms, [])
      })
    )
  )

  it.effect("tells a warning without an alarm, and does not come sooner for one that is told", () =>
    visited(({ alarms, find, pass, told, visits }) =>
      Effect.gen(function* () {
        find(open)
        yield* pass("10 minutes")
        const before = visits()
        yield* pass("1 day")

        assert.deepStrictEqual(yield* told, [[["files"], []]])
        assert.deepStrictEqual(yield* alarms, [])
        assert.deepStrictEqual([before, visits()], [2, 3])
      })
    )
  )

  it("keeps what is told apart by its subject: two accounts may have the same trouble", () => {
    const both = [clock, about("lark").fail("clock", "10m behind", "set the clock")]

    const first = Daily.compare(new Map(), both)
    const second = Daily.compare(first.memory, both.slice(0, 1))
    const third = Daily.compare(second.memory, both)

    assert.deepStrictEqual([first.raised, second.raised, third.raised], [[], [clock], []])
    assert.deepStrictEqual([first.cleared, second.cleared, third.cleared], [[], [], []])
  })
})
