/** `evergate platforms` and `evergate top`, on a running gateway and without one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { command, feishuOf, gateway, place, start } from "../service.ts"

describe.concurrent("evergate platforms", () => {
  it.live("F219: replaces one link of two, stops it so that it stays stopped, and starts it again", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* FeishuPeer.make(), yield* FeishuPeer.make()]
      const platforms = [feishuOf(one, { id: "one" }), feishuOf(other, { id: "other" })]
      const here = yield* place({ platforms })
      const running = yield* gateway(here)
      const connected = (connects: ReadonlyArray<number>) =>
        running.statusWhere(
          ({ health, platforms }) =>
            health === "ok" && platforms.every((platform, index) => platform.connects === connects[index])
        )
      yield* connected([1, 1])
      const link = yield* other.lines

      const reconnected = yield* command(here, ["platforms", "reconnect", "one"])
      yield* connected([2, 1])
      const stopped = yield* command(here, ["platforms", "stop", "one", "--json"])
      const refused = yield* command(here, ["platforms", "reconnect", "one"])
      const health = yield* command(here, ["status"])
      const list = yield* command(here, ["platforms", "list"])
      const started = yield* command(here, ["platforms", "start", "one"])
      yield* connected([3, 1])
      const unknown = yield* command(here, ["platforms", "stop", "three"])
      const sameLink = yield* other.lines
      const { code } = yield* running.stop()

      assert.deepStrictEqual([reconnected.code, stopped.code, health.code, started.code, code], [0, 0, 0, 0, 0])
      assert.containSubset(JSON.parse(stopped.out), { id: "one", state: "stopped" })
      assert.deepStrictEqual(
        [refused.code, refused.err],
        [1, `"one" is stopped; start it: POST /api/platforms/one/start\n`]
      )
      assert.match(list.out, /^PLATFORM +KIND +STATE .*\none +feishu +stopped .*\nother +feishu +connected .*\n$/)
      assert.match(started.out, /^one: (connecting|connected)\n$/)
      assert.deepStrictEqual(
        [unknown.code, unknown.err],
        [1, `there is no platform "three"; \`evergate platforms list\` shows those that there are\n`]
      )
      assert.deepStrictEqual([link.length, sameLink[0] === link[0]], [1, true])
    })
  )
})

describe.concurrent("evergate top", () => {
  it.live("shows every part once, for people and as the API's object", () =>
    Effect.gen(function* () {
      const here = yield* place()
      yield* gateway(here)

      const people = yield* command(here, ["top"])
      const script = yield* command(here, ["top", "--json"])

      assert.match(people.out, /^PART +STATE .*\nevergate +(ok|degraded) /)
      for (const name of ["  local ", "    connection local ", "  ticker ", "  http server "]) {
        assert.include(people.out, `\n${name}`)
      }
      assert.containSubset(JSON.parse(script.out), { name: "evergate", parts: [{ name: "local" }] })
    })
  )

  it.live("with -f shows it again every second, and waits for a gateway that is away", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      const following = yield* start(here, ["top", "-f"])
      const seen = (what: string, is: (out: string) => boolean) =>
        following.seen(what, (out) => (is(out) ? true : undefined))

      yield* seen("two trees", (out) => out.split("PART").length > 2)
      yield* running.stop()
      yield* seen("that nobody answers", (out) => out.includes("nobody answers at"))
      yield* following.kill("SIGTERM")
      const { signal } = yield* following.ended

      assert.strictEqual(signal, "SIGTERM")
    })
  )

  it.live("without a gateway says that nobody answers", () =>
    Effect.gen(function* () {
      const here = yield* place({ http: { port: 9 } })

      const ends = yield* Effect.all([command(here, ["top"]), command(here, ["platforms", "list"])], { concurrency: 2 })

      for (const { code, err } of ends) {
        assert.strictEqual(code, 1)
        assert.match(err, /^nobody answers at http:\/\/127\.0\.0\.1:9: /)
      }
    })
  )
})
