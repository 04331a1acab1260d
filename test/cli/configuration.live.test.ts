/** The command line around the configuration: flags that stand anywhere, what is checked, printed and written. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Place } from "../service.ts"
import { environment, gateway, place, program } from "../service.ts"
import type { RunningOptions } from "../processes.ts"
import { startProgram } from "../processes.ts"

/** A command line as it is, run to its end in the place's folder. */
const run = ({ folder }: Place, args: ReadonlyArray<string>, env: RunningOptions["env"] = {}) =>
  startProgram(program, args, { cwd: folder, env: environment(folder, env) }).pipe(
    Effect.flatMap(({ ended }) => ended),
    Effect.scoped
  )

const account = { id: "feishu", kind: "feishu", enabled: false, appId: "${APP_ID}", appSecret: "${APP_SECRET}" }
const variables = { APP_ID: "cli_9f5343c580712544", APP_SECRET: "s3cret-value" }

/** What bash does when Tab is pressed after these words. */
const completing = (typed: string): string => `
COMP_LINE="evergate ${typed}"; COMP_POINT=\${#COMP_LINE}
read -ra COMP_WORDS <<<"$COMP_LINE"; COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
complete=$(complete -p evergate | grep -o -- "-F [^ ]*" | cut -d " " -f 2)
$complete evergate "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
echo "\${COMPREPLY[@]}"`

describe.concurrent("the command line", () => {
  it.live("--config and --env-file stand before the name of a command or after it", () =>
    Effect.gen(function* () {
      const here = yield* place({ platforms: [account] })
      writeFileSync(join(here.folder, "vars"), "APP_ID=cli_9f5343c580712544\nAPP_SECRET=s3cret-value\n")
      const where = ["--config", "evergate.json", "--env-file", "vars"]

      const before = yield* run(here, [...where, "config", "check"])
      const after = yield* run(here, ["config", "check", ...where])
      const without = yield* run(here, ["config", "check", "--config", "evergate.json"])

      assert.deepStrictEqual([before.code, before.out], [0, `${here.config}: ok (1 platform, 0 jobs)\n`])
      assert.deepStrictEqual(after, before)
      assert.strictEqual(without.code, 78)
    })
  )

  it.live("commands on the running gateway need none of its secrets", () =>
    Effect.gen(function* () {
      const here = yield* place({ platforms: [{ id: "local", kind: "local" }, account] })
      const where = ["--config", "evergate.json"]
      yield* gateway(here, { env: variables })

      const status = yield* run(here, [...where, "status"])
      const jobs = yield* run(here, [...where, "cron", "list"])
      const sent = yield* run(here, [...where, "send", "--to", "local:me", "hello"])

      assert.deepStrictEqual([status.code, jobs.code, sent.code], [0, 0, 0])
      assert.match(status.out, /: ok\n/)
    })
  )

  it.live("--log-level goes before what the file says", () =>
    Effect.gen(function* () {
      const here = yield* place({ log: { level: "error" } })
      const running = yield* startProgram(program, ["--config", "evergate.json", "run", "--log-level", "info"], {
        cwd: here.folder,
        env: environment(here.folder)
      })

      yield* running.seen("ready", (out) => (out.includes('"ready"') ? true : undefined))
      yield* running.kill("SIGTERM")

      assert.strictEqual((yield* running.ended).code, 0)
    })
  )

  it.live("the demo refuses a configuration, and a level that there is not is wrong usage", () =>
    Effect.gen(function* () {
      const here = yield* place()

      const demo = yield* run(here, ["demo", "--config", "evergate.json"])
      const level = yield* run(here, ["run", "--log-level", "loud"])

      assert.deepStrictEqual([demo.code, demo.err], [64, "the demo takes no configuration; `evergate run` does\n"])
      assert.strictEqual(level.code, 64)
    })
  )

  it.live("completes its commands and flags in bash, and prints the same for zsh and fish", () =>
    Effect.gen(function* () {
      const here = yield* place()

      const [bash, zsh, fish] = yield* Effect.all(
        ["bash", "zsh", "fish"].map((shell) => run(here, ["--completions", shell]))
      )

      const completed = ["st", "cron h", "--config x config i", "run --log-level d"].map((typed) =>
        execFileSync("bash", ["-c", `${bash?.out}\n${completing(typed)}`], { encoding: "utf8" }).trim()
      )

      assert.deepStrictEqual(completed, ["start stop status", "history", "init", "debug"])
      for (const shell of [zsh, fish]) assert.match(shell?.out ?? "", /status[\s\S]*cron[\s\S]*history/)
    })
  )
})

describe.concurrent("evergate config", () => {
  it.live("F064: a placeholder ends with 78 by its key path, before anything is started", () =>
    Effect.gen(function* () {
      const here = yield* place({ platforms: [{ ...account, enabled: true }] })

      const { code, err } = yield* run(here, ["--config", "evergate.json"], {
        APP_ID: "cli_a1b2",
        APP_SECRET: "your-app-secret"
      })

      assert.strictEqual(code, 78)
      assert.match(err, /platforms\[0\]\.appId .*platforms\[0\]\.appSecret /s)
      assert.notInclude(err, "your-app-secret")
    })
  )

  it.live("init writes a file for its owner alone, which is right once its variables are set", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const env = { FEISHU_APP_ID: variables.APP_ID, FEISHU_APP_SECRET: variables.APP_SECRET }

      const written = yield* run(here, ["config", "init"])
      const checked = yield* run(here, ["config", "check"], env)
      const text = readFileSync(join(here.folder, "evergate.yaml"), "utf8")
      const again = yield* run(here, ["config", "init", "evergate.yaml"])

      assert.strictEqual(written.code, 0)
      assert.strictEqual(statSync(join(here.folder, "evergate.yaml")).mode & 0o777, 0o600)
      assert.deepStrictEqual([checked.code, checked.err], [0, ""])
      assert.deepStrictEqual(
        [again.code, again.err],
        [1, "evergate.yaml is there already, and was not touched; name another file\n"]
      )
      assert.strictEqual(readFileSync(join(here.folder, "evergate.yaml"), "utf8"), text)
    })
  )

  it.live("schema prints the JSON Schema of the file", () =>
    Effect.gen(function* () {
      const here = yield* place()

      const { code, out } = yield* run(here, ["config", "schema"])

      assert.strictEqual(code, 0)
      assert.containSubset(JSON.parse(out), { type: "object", additionalProperties: false })
    })
  )
})
