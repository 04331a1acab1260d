/** What the settings' roads send, on virtual time. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { Notices } from "../../src/actors/Notices.ts"
import { supervise } from "../../src/actors/supervise.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import type { AlarmSettings } from "../../src/config/Settings.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import * as AlarmRoads from "../../src/layers/alarmRoads.ts"
import * as FakePlatform from "../../src/testing/FakePlatform.ts"
import type { HttpAnswer, HttpAsked } from "../../src/testing/HttpAnswer.ts"
import { json } from "../../src/testing/HttpAnswer.ts"
import * as MemoryHttp from "../../src/testing/MemoryHttp.ts"
import { inWorld, quiet } from "../actors/world.ts"

const trouble = { key: "a", platform: PlatformId.make("a"), what: "a is down", hint: "look at it" }

/** Runs the road against a far end that answers as it is told, and writes down what it was asked. */
const withRoad = (settings: AlarmSettings, answers: ReadonlyArray<HttpAnswer> = []) => {
  const asked: Array<HttpAsked> = []
  const client = MemoryHttp.make((request) => Effect.sync(() => answers[asked.push(request) - 1] ?? json({})))
  const road = AlarmRoads.layer(settings, "evergate").pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
  return { asked, build: Effect.asVoid(Layer.build(road)) }
}

const after = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), quiet)

describe("the roads of the alarms", () => {
  it.effect("a webhook is told by a POST of JSON, again where it refuses", () =>
    Effect.gen(function* () {
      const { asked, build } = withRoad({ webhook: Redacted.make("https://ops.example/hook") }, [json({}, 500)])
      yield* build
      yield* (yield* Notices).raise(trouble)
      yield* after("10 seconds")
      yield* after("2 seconds")

      assert.deepStrictEqual(
        asked.map(({ method, path }) => [method, path]),
        [
          ["POST", "/hook"],
          ["POST", "/hook"]
        ]
      )
      assert.strictEqual(asked[0]?.headers["content-type"], "application/json")
      assert.deepStrictEqual(JSON.parse(asked[1]?.body ?? ""), {
        gateway: "evergate",
        at: "1970-01-01T00:00:12.000Z",
        well: false,
        text: "evergate\n- a is down; look at it",
        raised: [trouble],
        cleared: [],
        open: [trouble]
      })
    }).pipe(inWorld())
  )

  it.effect("a chat is told by the outbox, so that a crash loses nothing", () =>
    Effect.gen(function* () {
      const fake = yield* FakePlatform.make({ id: "slack" })
      yield* (yield* Supervisor).attach(fake.platform)
      yield* fake.awaitConnects(1)
      yield* withRoad({ to: "slack:C0OPS" }).build
      yield* (yield* Notices).raise(trouble)
      yield* after("10 seconds")

      const [sent] = yield* fake.awaitSent(1)
      assert.deepStrictEqual([sent?.address.chat, sent?.text], ["C0OPS", "evergate\n- a is down; look at it"])
    }).pipe(inWorld())
  )

  it.effect("a dead man's switch is pinged only while all is well", () =>
    Effect.gen(function* () {
      const notices = yield* Notices
      const heartbeat = { heartbeat: Redacted.make("https://ops.example/alive"), every: Duration.minutes(1) }
      const { asked, build } = withRoad(heartbeat, [json({}, 500)])
      const pings = (duration: Duration.Input) =>
        Effect.gen(function* () {
          const before = asked.length
          yield* after(duration)
          return asked.length - before
        })
      yield* build
      yield* quiet
      const atOnce = asked.length
      const well = yield* pings("5 minutes")
      yield* notices.raise(trouble)
      const ill = yield* pings("5 minutes")
      yield* notices.clear("a", "a is back")
      const again = yield* pings("5 minutes")
      yield* supervise("ticker", { progressWithin: Duration.minutes(1), past: "slow" })(() => Effect.never)
      yield* pings("61 seconds")
      const standing = yield* pings("5 minutes")

      assert.deepStrictEqual([atOnce, well, ill, again, standing], [1, 5, 0, 5, 0])
      assert.deepStrictEqual([asked[0]?.method, asked[0]?.path], ["GET", "/alive"])
    }).pipe(inWorld())
  )
})
