/** The commands against a gateway that runs, one that is stopped, and one that does not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { readdirSync } from "node:fs"
import type { Place } from "../service.ts"
import { command, gateway, place, until } from "../service.ts"

const daily = {
  id: "daily",
  schedule: "@daily",
  timezone: "Asia/Shanghai",
  deliverTo: "local:me",
  text: "good morning"
}

const timedCommand = (here: Place, args: ReadonlyArray<string>) => Effect.timed(command(here, args))

describe("evergate status", () => {
  it.live("of a gateway that is well: 0, for people and as the API's object", () =>
    Effect.gen(function* () {
      const here = yield* place({ cron: [daily] })
      const running = yield* gateway(here)

      const [people, script] = yield* Effect.all([command(here, ["status"]), command(here, ["status", "--json"])])

      assert.deepStrictEqual([people.code, script.code], [0, 0])
      assert.match(people.out, new RegExp(`^evergate 0\\.1\\.0, pid ${running.pid}, up .*: ok\n`))
      assert.containSubset(JSON.parse(script.out), {
        pid: running.pid,
        health: "ok",
        cron: { jobs: [{ id: "daily" }] }
      })
    })
  )

  it.live("F224: tells stopped, running, and running without an answer apart, each within 3 s and with 69", () =>
    Effect.gen(function* () {
      const here = yield* place()
      // How long a process takes to be there at all is this machine's affair.
      const [starting] = yield* timedCommand(here, ["--version"])
      const never = yield* timedCommand(here, ["status"])
      const running = yield* gateway(here)
      yield* running.kill("SIGSTOP")
      const stuck = yield* timedCommand(here, ["status"])
      const json = yield* timedCommand(here, ["status", "--json"])
      yield* running.kill("SIGCONT")
      const again = yield* timedCommand(here, ["status"])
      yield* running.stop()
      const stopped = yield* timedCommand(here, ["status"])

      const all = [never, stuck, json, again, stopped]
      assert.deepStrictEqual(
        all.map(([, { code }]) => code),
        [69, 69, 69, 0, 69]
      )
      assert.deepStrictEqual(
        all.filter(([took]) => Duration.toMillis(took) - Duration.toMillis(starting) >= 3_000),
        []
      )
      assert.strictEqual(never[1].out, `evergate is stopped (${here.home})\n`)
      assert.strictEqual(stopped[1].out, never[1].out)
      assert.include(stuck[1].out, `evergate is running, does not answer: process ${running.pid} (`)
      assert.containSubset(JSON.parse(json[1].out), { state: "running, does not answer", pid: running.pid })
    })
  )

  it.live("F203: asks the process, not the file: what a killed gateway left behind is no gateway", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      yield* running.kill("SIGKILL")
      yield* running.ended

      const { code, out } = yield* command(here, ["status"])

      assert.include(readdirSync(here.home), "gateway.json")
      assert.strictEqual(code, 69)
      assert.include(out, "evergate is stopped")
    })
  )

  it.live("reaches a gateway that wants a token", () =>
    Effect.gen(function* () {
      const here = yield* place({ http: { host: "0.0.0.0", port: 0, token: "0123456789" } })
      yield* gateway(here)

      const { code, out } = yield* command(here, ["status"])

      assert.strictEqual(code, 0)
      assert.notInclude(out, "0123456789")
    })
  )
})

describe.concurrent("evergate send", () => {
  it.live("goes by the gateway that runs", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)

      const sent = yield* command(here, ["send", "--to", "local:me", "hello there", "--json"])
      const chat = yield* until(running.get("/api/chat"), ({ json }) => Array.isArray(json) && json.length === 1)

      assert.strictEqual(sent.code, 0)
      assert.containSubset(JSON.parse(sent.out), { stored: false })
      assert.containSubset(chat.json, [{ from: "gateway", text: "hello there" }])
    })
  )

  it.live("while the gateway is stopped is kept, and said at the next start", () =>
    Effect.gen(function* () {
      const here = yield* place()

      const sent = yield* command(here, ["send", "--to", "local:me", "for later"])
      const running = yield* gateway(here)
      const chat = yield* until(running.get("/api/chat"), ({ json }) => Array.isArray(json) && json.length === 1)

      assert.strictEqual(sent.code, 0)
      assert.match(sent.out, /^the gateway is stopped \(\S+\); kept as \S+, and sent when it starts\n$/)
      assert.containSubset(chat.json, [{ from: "gateway", text: "for later" }])
    })
  )

  it.live(
    "to nowhere, to a platform that is not configured, or of nothing is refused, with and without a gateway",
    () =>
      Effect.gen(function* () {
        const here = yield* place()
        const toNowhere = command(here, ["send", "--to", "nowhere", "x"])
        const toAnother = command(here, ["send", "--to", "slack:C1", "x"])

        const ofNothing = command(here, ["send", "--to", "local:me", ""])

        const alone = yield* Effect.all([toNowhere, toAnother, ofNothing])
        yield* gateway(here)
        const both = yield* Effect.all([toNowhere, toAnother, ofNothing])

        for (const [nowhere, another, nothing] of [alone, both]) {
          assert.deepStrictEqual([nowhere.code, another.code, nothing.code], [64, 1, 64])
          assert.include(nothing.err, "a message has 1 to 100000 characters; this one has 0")
          assert.include(nowhere.err, `"nowhere" is not an address`)
          assert.include(another.err, `there is no platform "slack"`)
        }
      })
  )
})

describe.concurrent("evergate cron", () => {
  it.live("lists, tells what is next, runs and remembers", () =>
    Effect.gen(function* () {
      const here = yield* place({ cron: [daily] })
      yield* gateway(here)

      const list = yield* command(here, ["cron", "list"])
      const next = yield* command(here, ["cron", "next", "--json"])
      const ran = yield* command(here, ["cron", "run", "daily"])
      const history = yield* command(here, ["cron", "history", "daily"])
      const unknown = yield* command(here, ["cron", "run", "weekly"])

      assert.match(
        list.out,
        /^JOB +SCHEDULE +ZONE +DELIVERS TO +NEXT +LAST\ndaily +@daily +Asia\/Shanghai +local:me +\S+T16:00:00\.000Z +none\n$/
      )
      assert.containSubset(JSON.parse(next.out), [{ job: "daily" }])
      assert.strictEqual(ran.out, "daily: ok\n")
      assert.match(history.out, /^SCHEDULED +OUTCOME +DELIVERY +REASON\n\S+ +ok +(pending|delivered)\n$/)
      assert.deepStrictEqual(
        [unknown.code, unknown.err],
        [1, `there is no job "weekly"; \`evergate cron list\` shows those that there are\n`]
      )
    })
  )

  it.live("without a gateway says that nobody answers", () =>
    Effect.gen(function* () {
      const here = yield* place({ http: { port: 9 } })

      const { code, err } = yield* command(here, ["cron", "list"])

      assert.strictEqual(code, 1)
      assert.match(err, /^nobody answers at http:\/\/127\.0\.0\.1:9: /)
    })
  )
})

describe("evergate config check", () => {
  it.live("says of a right one which it is, and starts nothing", () =>
    Effect.gen(function* () {
      const here = yield* place({ cron: [daily] })

      const { code, out } = yield* command(here, ["config", "check"])

      assert.deepStrictEqual([code, out], [0, `${here.config}: ok (1 platform, 1 job)\n`])
      assert.notInclude(readdirSync(here.folder), "home")
    })
  )
})
