import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Outbox } from "../../src/actors/Outbox.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { Ticker } from "../../src/actors/Ticker.ts"
import { AgentError } from "../../src/domain/Errors.ts"
import type { Job, JobAction } from "../../src/domain/Job.ts"
import { JobId } from "../../src/domain/Job.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import * as LinkError from "../../src/domain/LinkError.ts"
import { defaults } from "../../src/domain/LinkSettings.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import * as Gateway from "../../src/layers/Gateway.ts"
import * as Store from "../../src/layers/Store.ts"
import { Database } from "../../src/store/Database.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import { agentOf, echo, inWorld, quiet } from "./world.ts"

const exact = { ...defaults, retry: { ...defaults.retry, jitter: "none" } } as const

const linkOf = Effect.fnUntraced(function* (id: string) {
  const links = yield* (yield* Supervisor).links
  return links.find((link) => link.id === id) ?? assert.fail(`no link ${id}`)
})

describe("many links", () => {
  it.effect("F065, F058: three slow platforms are up together, and one that stalls keeps nobody waiting", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const slow = yield* Effect.forEach(["a", "b", "c"], (id) => FakePlatform.make({ id }))
      const stalled = yield* FakePlatform.make({ id: "stalled" })
      for (const fake of slow) yield* fake.onConnect(Effect.sleep("10 seconds"))
      yield* stalled.onConnect(Effect.never)
      for (const fake of [stalled, ...slow]) yield* supervisor.attach(fake.platform)
      yield* quiet
      yield* TestClock.adjust("10 seconds")
      for (const fake of slow) yield* fake.awaitConnects(1)
      const [first] = slow
      yield* first?.say("hello") ?? Effect.void
      yield* first?.awaitSent(1) ?? Effect.void

      assert.strictEqual((yield* linkOf("stalled")).state, "connecting")
    }).pipe(inWorld())
  )

  it.effect(
    "F008: a platform that opens and never gets ready is never connected, waits longer and longer, and counts as down all along",
    () =>
      Effect.gen(function* () {
        const supervisor = yield* Supervisor
        const fake = yield* FakePlatform.make({ settings: exact })
        const never = Effect.delay(
          Effect.fail(new LinkError.NoCloseFrame({ detail: "closed before ready" })),
          "2 seconds"
        )
        yield* fake.onConnect(never)
        yield* supervisor.attach(fake.platform)
        for (let round = 0; round < 60; round++) {
          yield* quiet
          yield* TestClock.adjust("5 seconds")
        }

        const link = yield* linkOf("fake")
        assert.strictEqual(link.connects, 0)
        assert.strictEqual(link.downSince, 0)
        assert.isAtMost((yield* fake.counts).attempts, 25)
      }).pipe(inWorld())
  )

  it.effect("F033: a second failure right after a reconnect gets a reconnect of its own", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* (yield* Supervisor).attach(fake.platform)
      yield* fake.awaitConnects(1)
      yield* fake.drop()
      yield* fake.awaitConnects(2)
      yield* fake.drop()
      yield* quiet
      yield* TestClock.adjust("1 second")
      yield* fake.awaitConnects(3)
      yield* fake.say("still here")
      yield* fake.awaitSent(1)

      assert.deepStrictEqual(yield* fake.counts, { attempts: 3, connects: 3, open: 1 })
    }).pipe(inWorld())
  )

  it.effect("F055: a question that an old link left open does not end the new one", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* (yield* Supervisor).attach(fake.platform)
      yield* fake.awaitConnects(1)
      yield* quiet
      yield* fake.goSilent("path")
      yield* TestClock.adjust("24 seconds")
      yield* fake.drop()
      yield* fake.awaitConnects(2)
      yield* TestClock.adjust("10 minutes")

      assert.deepStrictEqual(yield* fake.counts, { attempts: 2, connects: 2, open: 1 })
    }).pipe(inWorld())
  )

  it.effect("F040: starting returns at once and stopping within the drain, whatever hangs", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make()
      yield* fake.onSend(() => Effect.never)
      const scope = yield* Scope.make()
      yield* (yield* Supervisor).attach(fake.platform).pipe(Scope.provide(scope))
      yield* fake.awaitConnects(1)
      for (let message = 0; message < 10; message++) yield* fake.say(`${message}`)
      yield* quiet
      const closing = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
      yield* quiet
      yield* TestClock.adjust("20 seconds")
      yield* quiet

      assert.isDefined(closing.pollUnsafe())
    }).pipe(inWorld())
  )
})

describe("jobs and their runs", () => {
  const job = (action: JobAction, thread: string | null = null): Job => ({
    id: JobId.make("job"),
    schedule: "* * * * *",
    timezone: "UTC",
    deliverTo: { platform: PlatformId.make("fake"), chat: "c1", thread },
    action,
    misfire: { policy: "once", withinMillis: null },
    overlap: "skip",
    source: "file",
    createdAt: 0
  })
  const prompt = (text: string): JobAction => ({ _tag: "Prompt", prompt: text })

  /** The whole gateway with one job, over a database that may outlive it. */
  const withJob =
    (only: Job, answer: (turn: Turn) => Effect.Effect<string, AgentError> = echo, database?: Database["Service"]) =>
    <A, E, R>(test: Effect.Effect<A, E, R>) =>
      test.pipe(
        Effect.scoped,
        Effect.provide(
          Gateway.layer({ jobs: [only], drain: Duration.zero }).pipe(
            Layer.provide(agentOf(answer)),
            Layer.provideMerge(database === undefined ? Store.layerMemory : Layer.succeed(Database, database))
          )
        )
      )

  const attached = Effect.gen(function* () {
    const fake = yield* FakePlatform.make()
    yield* (yield* Supervisor).attach(fake.platform)
    yield* fake.awaitConnects(1)
    yield* quiet
    return fake
  })

  it.effect("F111: what a job says in a thread stays in the thread", () =>
    Effect.gen(function* () {
      const fake = yield* attached
      yield* TestClock.adjust("1 minute")
      const [message] = yield* fake.awaitSent(1)

      assert.deepStrictEqual(message?.address, { platform: fake.platform.id, chat: "c1", thread: "43" })
    }).pipe(withJob(job({ _tag: "Text", text: "hello" }, "43")))
  )

  it.effect("F112: a run that fails is failed in the history and the status, with the cause for the operator", () =>
    Effect.gen(function* () {
      const fake = yield* attached
      yield* TestClock.adjust("1 minute")
      yield* fake.awaitSent(1)
      yield* quiet

      const [run] = yield* (yield* JobStore).runs(JobId.make("job"), 1)
      const { jobs } = yield* (yield* Ticker).status
      assert.deepInclude(run, { outcome: "failed", reason: "exit 1" })
      assert.strictEqual(jobs[0]?.last?.outcome, "failed")
      assert.notInclude((yield* fake.sent)[0]?.text, "exit 1")
    }).pipe(withJob(job(prompt("go")), () => Effect.fail(new AgentError({ detail: "exit 1" }))))
  )

  it.effect("F087: a stop in the middle of a run does not let the next start decide it again", () => {
    const seen: Array<string> = []
    const cutOnce = (turn: Turn) =>
      Effect.suspend(() => {
        seen.push(`${turn.messages[0]?.id} ${turn.attempt}`)
        return turn.attempt === 1 ? Effect.never : echo(turn)
      })
    return Effect.gen(function* () {
      const database = yield* Database
      const only = job(prompt("go"))
      yield* Effect.gen(function* () {
        yield* attached
        yield* TestClock.adjust("1 minute")
        yield* quiet
      }).pipe(withJob(only, cutOnce, database))
      yield* Effect.gen(function* () {
        const fake = yield* attached
        yield* fake.awaitSent(1)
        yield* quiet
        assert.strictEqual((yield* (yield* JobStore).runs(JobId.make("job"), 10)).length, 1)
        assert.isTrue(Option.isSome(yield* (yield* JobStore).find(JobId.make("job"))))
      }).pipe(withJob(only, cutOnce, database))

      assert.deepStrictEqual(seen, ["job@1970-01-01T00:01:00.000Z 1", "job@1970-01-01T00:01:00.000Z 2"])
    }).pipe(inWorld())
  })
})

describe("what belongs to a platform that is not attached", () => {
  it.effect("expires: a message that nobody serves is a dead letter in the end", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      yield* outbox.post({ to: { platform: PlatformId.make("gone"), chat: "c1", thread: null }, text: "hello" })
      yield* TestClock.adjust("25 hours")
      yield* quiet

      const [letter] = yield* (yield* OutboxStore).list("dead", 1)
      assert.include(letter?.lastError, 'no platform "gone" was attached')
    }).pipe(
      Effect.scoped,
      Effect.provide(Gateway.layer().pipe(Layer.provide(agentOf(echo)), Layer.provideMerge(Store.layerMemory)))
    )
  )
})

describe("a hand-over that does not come about", () => {
  it.effect("leaves no link called connected when the old one has ended and the new one hangs", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* (yield* Supervisor).attach(fake.platform)
      yield* fake.awaitConnects(1)
      yield* quiet
      yield* fake.onConnect(Effect.never)
      yield* fake.goAway()
      yield* quiet
      const during = yield* linkOf("fake")
      yield* TestClock.adjust("15 seconds")
      yield* quiet

      const after = yield* linkOf("fake")
      assert.strictEqual(during.state, "connected")
      assert.strictEqual(after.state, "connecting")
      assert.strictEqual(after.disconnects, 1)
    }).pipe(inWorld())
  )

  it.effect("by hand twice in a row is no failure", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const fake = yield* FakePlatform.make({ settings: exact })
      yield* supervisor.attach(fake.platform)
      for (let round = 1; round <= 3; round++) {
        yield* fake.awaitConnects(round)
        yield* quiet
        yield* supervisor.reconnect(fake.platform.id)
      }
      yield* fake.awaitConnects(4)
      yield* quiet

      const { state, disconnects } = yield* linkOf("fake")
      assert.deepStrictEqual({ state, disconnects }, { state: "connected", disconnects: 0 })
    }).pipe(inWorld())
  )
})
