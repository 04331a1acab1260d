/** What is measured where it happens, over the real graph on virtual time. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { lifeClock } from "../../src/actors/lifeClock.ts"
import { roundTrip } from "../../src/actors/metrics.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { AgentError, Rejected } from "../../src/domain/Errors.ts"
import * as LinkError from "../../src/domain/LinkError.ts"
import { monotonicMillis } from "../../src/domain/monotonic.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { echo, inWorld, quiet } from "./world.ts"

/** A registry of the test's own: the process's is shared with other tests. */
const measured = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provideService(test, Metric.MetricRegistry, new Map<string, never>())

interface Series {
  readonly [label: string]: string | number
  readonly count: number
}

/** What is in the registry of one name: its labels, and its count or number of observations with their sum. */
const series = (name: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all
      .filter(({ id }) => id === name)
      .map(({ attributes, state }): Series => ({
        ...attributes,
        count: "count" in state ? Number(state.count) : 0,
        ...("sum" in state ? { sum: state.sum } : {})
      }))
  )

const attached = Effect.fnUntraced(function* (options: FakePlatform.FakePlatformOptions = {}) {
  const fake = yield* FakePlatform.make(options)
  yield* (yield* Supervisor).attach(fake.platform)
  yield* fake.awaitConnects(1)
  return fake
})

describe("what is measured", () => {
  it.effect("of a message: its acknowledgement, its turn by outcome, its deliveries", () => {
    const answer = (turn: Turn) =>
      Effect.delay(
        turn.messages[0]?.text === "bad" ? Effect.fail(new AgentError({ detail: "no" })) : echo(turn),
        "2 seconds"
      )
    return Effect.gen(function* () {
      const fake = yield* attached({ id: "one" })
      yield* fake.say("good", { chat: "a" })
      yield* fake.say("bad", { chat: "b" })
      yield* fake.awaitAcked(2)
      yield* TestClock.adjust("3 seconds")
      yield* fake.awaitSent(2)
      yield* quiet

      assert.containSubset(yield* series("evergate_ack_latency_seconds"), [{ platform: "one", count: 2 }])
      assert.sameDeepMembers(yield* series("evergate_turn_duration_seconds"), [
        { outcome: "ok", count: 1, sum: 2 },
        { outcome: "failed", count: 1, sum: 2 }
      ])
      assert.deepStrictEqual(yield* series("evergate_deliveries_total"), [
        { platform: "one", outcome: "delivered", count: 2 },
        { platform: "one", outcome: "dead", count: 0 }
      ])
    }).pipe(inWorld({ answer }), measured)
  })

  it.effect("F226: of what is given up: a dead letter is counted", () =>
    Effect.gen(function* () {
      const fake = yield* attached({ id: "one" })
      yield* fake.onSend(() => Effect.succeed(new Rejected({ code: "1", detail: "no such chat" })))
      yield* fake.say("hello")
      yield* quiet

      assert.deepStrictEqual(yield* series("evergate_deliveries_total"), [
        { platform: "one", outcome: "delivered", count: 0 },
        { platform: "one", outcome: "dead", count: 1 }
      ])
    }).pipe(inWorld(), measured)
  )

  it.effect("F222: of a link: its failures by kind, and how long it was deaf, in the outage that goes on too", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* attached({ id: "one" })
      yield* fake.onConnect(Effect.fail(new LinkError.Dns({ host: "far.test", detail: "no such name" })))
      yield* fake.drop(new LinkError.NoCloseFrame({ detail: "reset" }))
      yield* quiet
      yield* TestClock.adjust("100 seconds")
      const [down] = yield* supervisor.links
      yield* fake.onConnect(Effect.void)
      yield* TestClock.adjust("60 seconds")
      yield* fake.awaitConnects(2)
      const [up] = yield* supervisor.links

      const failures = yield* series("evergate_link_failures_total")
      assert.containSubset(failures, [{ platform: "one", failure: "NoCloseFrame", count: 1 }])
      assert.isAbove(failures.find(({ failure }) => failure === "Dns")?.count ?? 0, 3)
      assert.containSubset(down, { deafMillis: 0, downSince: 0 })
      assert.isAtLeast(up?.deafMillis ?? 0, 100_000)
    }).pipe(inWorld(), measured)
  )
})

const path = (heardAt: () => number, ask: Effect.Effect<void>) => ({
  name: "path" as const,
  first: Duration.seconds(15),
  every: Effect.succeed(Duration.seconds(15)),
  within: Duration.seconds(10),
  ask,
  heardAt: Effect.sync(heardAt)
})

describe("the round trip of a heartbeat", () => {
  it.effect("is from the question to the first sign of life, whatever comes after it", () =>
    Effect.gen(function* () {
      let heardAt = -1
      const hear = (after: Duration.Input) =>
        Effect.delay(
          Effect.map(monotonicMillis, (now) => void (heardAt = now)),
          after
        )
      const answers = Effect.all([hear("40 millis"), hear("2 seconds")], { concurrency: 2 })
      const ask = Effect.asVoid(Effect.forkDetach(answers))
      const options = {
        platform: PlatformId.make("one"),
        wake: Effect.never,
        onCheck: () => Effect.void
      }
      const living = yield* Effect.forkChild(
        lifeClock(
          path(() => heardAt, ask),
          options
        )
      )
      yield* quiet
      yield* TestClock.adjust("24 seconds")

      const { count, sum } = yield* Metric.value(roundTrip(options.platform, "path"))
      yield* Fiber.interrupt(living)
      assert.strictEqual(count, 1)
      assert.approximately(sum, 0.04, 0.001)
    }).pipe(measured)
  )

  it.effect("is not measured where no answer comes, and the link dies as ever", () =>
    Effect.gen(function* () {
      const options = { platform: PlatformId.make("one"), wake: Effect.never, onCheck: () => Effect.void }
      const living = yield* Effect.forkChild(
        Effect.flip(
          lifeClock(
            path(() => -1, Effect.void),
            options
          )
        )
      )
      yield* quiet
      yield* TestClock.adjust("26 seconds")

      const error = yield* Fiber.join(living)
      assert.strictEqual(error.reason._tag, "KeepaliveTimeout")
      assert.deepStrictEqual(yield* series("evergate_heartbeat_round_trip_seconds"), [])
    }).pipe(measured)
  )
})
