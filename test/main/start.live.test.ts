/** How the built service starts, and each way in which it does not: the exit status, what is said, and what stays as it was. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import * as net from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { ask } from "../asking.ts"
import { startProgram } from "../processes.ts"
import { command, environment, gateway, lineOf, linesOf, place, program } from "../service.ts"

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const troubles = (out: string) =>
  linesOf(out).filter(({ level }) => level === "WARN" || level === "ERROR" || level === "FATAL")

/** The database of a gateway that ran once and stopped. */
const usedHome = Effect.fnUntraced(function* () {
  const here = yield* place()
  const first = yield* gateway(here)
  yield* first.stop()
  return { here, file: join(here.home, "evergate.db") }
})

describe("a start", () => {
  it.live("on a fresh home lives, says where its configuration is from, and lets nobody else read its files", () =>
    Effect.gen(function* () {
      const here = yield* place()

      const running = yield* gateway(here)
      const livez = yield* running.get("/livez")
      const modes = readdirSync(here.home).map((name) => [name, modeOf(join(here.home, name))])
      const { code, out } = yield* running.stop()

      assert.strictEqual(livez.status, 200)
      assert.strictEqual(modeOf(here.home), "700")
      assert.includeDeepMembers(modes, [
        ["evergate.db", "600"],
        ["evergate.lock", "600"],
        ["gateway.json", "600"]
      ])
      assert.deepStrictEqual(new Set(modes.map(([, mode]) => mode)), new Set(["600"]))
      assert.containSubset(linesOf(out)[0], { event: "configuration", source: here.config, home: here.home })
      assert.deepStrictEqual([code, troubles(out)], [0, []])
      assert.notIncludeMembers(readdirSync(here.home), ["evergate.lock", "gateway.json"])
    })
  )

  it.live("with nothing configured is the embedded defaults on 8787: local chat, echo, a sample job", (context) =>
    Effect.gen(function* () {
      if (!(yield* isFree(8787))) return context.skip("another process listens on 8787")
      const here = yield* place()
      const env = environment(here.folder, { EVERGATE_HOME: here.home })

      const running = yield* startProgram(program, [], { cwd: here.folder, env })
      yield* lineOf(running, "ready", { url: "http://127.0.0.1:8787" })
      const { json } = yield* ask("http://127.0.0.1:8787/api/status")

      assert.containSubset(json, {
        health: "ok",
        platforms: [{ id: "local" }],
        cron: { jobs: [{ id: "sample", schedule: "* * * * *", deliverTo: "local:me" }] },
        config: { source: "the embedded defaults" }
      })
    })
  )

  it.live("F196: takes over after kill -9", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const first = yield* gateway(here)
      yield* first.kill("SIGKILL")
      yield* first.ended

      const second = yield* gateway(here)
      const { code, out } = yield* second.stop()

      assert.strictEqual(code, 0)
      assert.deepStrictEqual(
        troubles(out).map(({ event }) => event),
        ["took over the lock of a gateway that is gone"]
      )
    })
  )
})

describe.concurrent("no start", () => {
  it.live("F213: where another gateway holds the home: 73, with its pid, and the holder lives on", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const holder = yield* gateway(here)

      const { code, out } = yield* command(here, ["run"])

      assert.strictEqual(code, 73)
      assert.include(troubles(out)[0]?.event, `another gateway holds this home: process ${holder.pid} on `)
      assert.strictEqual((yield* holder.get("/livez")).status, 200)
    })
  )

  it.live("on a database that is none: 74, naming the file, which stays as it was", () =>
    Effect.gen(function* () {
      const { here, file } = yield* usedHome()
      writeFileSync(file, "this was a database once ".repeat(1_000))

      const { code, out } = yield* command(here, ["run"])

      assert.strictEqual(code, 74)
      assert.include(troubles(out)[0]?.event, file)
      assert.strictEqual(readFileSync(file, "utf8"), "this was a database once ".repeat(1_000))
    })
  )

  it.live("on a database of a newer evergate: 74, and nothing is changed", () =>
    Effect.gen(function* () {
      const { here, file } = yield* usedHome()
      const newer = new DatabaseSync(file)
      newer.exec("INSERT INTO evergate_migrations (migration_id, name) VALUES (999, 'later')")
      newer.close()
      const before = readFileSync(file)

      const { code, out } = yield* command(here, ["run"])

      assert.strictEqual(code, 74)
      assert.include(troubles(out)[0]?.event, "written by a newer evergate (schema 999")
      assert.deepStrictEqual(readFileSync(file), before)
    })
  )

  it.live("in a home that cannot be made: 74", () =>
    Effect.gen(function* () {
      const here = yield* place()
      writeFileSync(here.home, "a file")

      const { code, out } = yield* command(here, ["run"])

      assert.strictEqual(code, 74)
      assert.include(troubles(out)[0]?.event, `${here.home} cannot be used`)
    })
  )

  it.live("on a wrong configuration: 78 with every fault, and nothing is made", () =>
    Effect.gen(function* () {
      const here = yield* place({
        http: { port: "many" },
        shutdwon: {},
        platforms: [{ id: "feishu", kind: "feishu", appId: "cli_x", appSecret: "${NO_SUCH_SECRET}" }],
        agent: { kind: "telepathy" }
      })

      const ends = yield* Effect.all([command(here, ["run"]), command(here, ["config", "check"])], { concurrency: 2 })

      for (const { code, err } of ends) {
        assert.strictEqual(code, 78)
        for (const named of ["http.port", "shutdwon", "platforms[0].appSecret", "NO_SUCH_SECRET", "agent.kind"])
          assert.include(err, named)
      }
      assert.notInclude(readdirSync(here.folder), "home")
    })
  )

  it.live.each([
    [["--frobnicate"], 64],
    [["dance"], 64],
    [["send", "text"], 64],
    [["--help"], 0],
    [["--version"], 0]
  ] as const)("of anything by `evergate %s`: %i", ([args, status]) =>
    Effect.gen(function* () {
      const here = yield* place()
      mkdirSync(here.home)

      const running = yield* startProgram(program, args, {
        cwd: here.folder,
        env: environment(here.folder, { EVERGATE_HOME: here.home })
      })
      const { code } = yield* running.ended

      assert.strictEqual(code, status)
      assert.deepStrictEqual(readdirSync(here.home), [])
    })
  )
})

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const server = net.createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })
