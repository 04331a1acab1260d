/** Which configuration is taken, what it says, and everything that is wrong with it at once. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync } from "node:fs"
import type { Surroundings, Wanted } from "../../src/config/find.ts"
import { load, refuseOver } from "../../src/config/load.ts"
import { template } from "../../src/config/template.ts"
import { disk } from "./disk.ts"

interface Case extends Wanted {
  readonly env?: Surroundings["env"]
  readonly files?: Readonly<Record<string, string | null>>
}

const loading = ({ env = {}, files = {}, ...wanted }: Case) =>
  load(wanted, { env, cwd: "/here", userHome: "/home/me", timezone: "UTC" }).pipe(Effect.provide(disk(files)))

const yaml = (text: string, env: Surroundings["env"] = {}) => loading({ env, files: { "/here/evergate.yaml": text } })

const faults = (text: string, env: Surroundings["env"] = {}) =>
  Effect.map(Effect.flip(yaml(text, env)), ({ faults }) => faults)

const paths = (text: string, env: Surroundings["env"] = {}) =>
  Effect.map(faults(text, env), (all) => all.map(({ path }) => path))

const feishu = "platforms: [{ id: feishu, kind: feishu, appId: cli_a1, appSecret: s3cret-value }]"

describe("where the configuration comes from", () => {
  const file = "http: { port: 1 }"
  const all = {
    "/etc/named.yaml": "http: { port: 1 }",
    "/etc/variable.yaml": "http: { port: 2 }",
    "/here/evergate.yaml": "http: { port: 3 }",
    "/state/evergate.yaml": "http: { port: 4 }"
  }
  const env = {
    EVERGATE_CONFIG: "/etc/variable.yaml",
    EVERGATE_HOME: "/state",
    FEISHU_APP_ID: "cli_a1",
    FEISHU_APP_SECRET: "s3cret-value"
  }

  it.effect("--config goes before all others", () =>
    Effect.gen(function* () {
      const { settings, source } = yield* loading({ config: "/etc/named.yaml", env, files: all })

      expect(source).toBe("/etc/named.yaml")
      expect(settings.http.port).toBe(1)
    })
  )

  it.effect("then $EVERGATE_CONFIG, ./evergate.yaml, the one at home, the environment, the embedded defaults", () =>
    Effect.gen(function* () {
      const { EVERGATE_CONFIG: _, ...unnamed } = env
      const ports = (found: { readonly settings: { readonly http: { readonly port: number } } }) =>
        found.settings.http.port

      expect(ports(yield* loading({ env, files: all }))).toBe(2)
      expect(ports(yield* loading({ env: unnamed, files: all }))).toBe(3)
      expect(ports(yield* loading({ env: unnamed, files: { "/state/evergate.yaml": "http: { port: 4 }" } }))).toBe(4)
      expect((yield* loading({ env: unnamed })).source).toBe("environment variables")
      expect((yield* loading({})).source).toBe("the embedded defaults")
    })
  )

  it.effect("a file that was named and is not there is a fault, never passed over", () =>
    Effect.gen(function* () {
      const named = yield* Effect.flip(loading({ config: "missing.yaml" }))
      const variable = yield* Effect.flip(loading({ env: { EVERGATE_CONFIG: "/missing.yaml" } }))

      expect(named.message).toContain("--config")
      expect(named.message).toContain("/here/missing.yaml: NotFound")
      expect(variable.message).toContain("EVERGATE_CONFIG")
    })
  )

  it.effect("a file that is there and may not be read is a fault, never passed over", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(loading({ files: { "/here/evergate.yaml": null } }))

      expect(error.message).toContain("/here/evergate.yaml: PermissionDenied")
    })
  )

  it.effect("the embedded defaults are a local chat, the echo agent and a job that speaks every minute", () =>
    Effect.gen(function* () {
      const { settings } = yield* loading({})

      expect(settings.platforms.map(({ kind }) => kind)).toEqual(["local"])
      expect(settings.agent.kind).toBe("echo")
      expect(settings.jobs.map(({ schedule, deliverTo }) => [schedule, deliverTo.platform])).toEqual([
        ["* * * * *", "local"]
      ])
      expect(settings.home).toBe("/home/me/.evergate")
    })
  )

  it.effect("the demo has a home of its own and uses no configuration and no token that lies about", () =>
    Effect.gen(function* () {
      const { settings } = yield* loading({ demo: true, env, files: { "/here/evergate.yaml": file } })

      expect(settings.home).toBe("/state/demo")
      expect(settings.http.port).toBe(8787)
      expect(settings.platforms.map(({ kind }) => kind)).toEqual(["local"])
      expect((yield* loading({ demo: true })).settings.home).toBe("/home/me/.evergate/demo")
    })
  )

  it.effect("where a file was found, the platforms of the environment are not used", () =>
    Effect.gen(function* () {
      const { settings } = yield* yaml("log: { level: debug }", { ...env, EVERGATE_CONFIG: "" })

      expect(settings.platforms.map(({ kind }) => kind)).toEqual(["local"])
    })
  )

  it.effect("home is what the file says, else $EVERGATE_HOME; `~` is the user's", () =>
    Effect.gen(function* () {
      expect((yield* yaml("home: ~/gate", { EVERGATE_HOME: "/state" })).settings.home).toBe("/home/me/gate")
      expect((yield* yaml("home: state")).settings.home).toBe("/here/state")
      expect((yield* yaml("{}", { EVERGATE_HOME: "/state" })).settings.home).toBe("/state")
    })
  )
})

describe("the environment alone", () => {
  const env = { FEISHU_APP_ID: "cli_a1", FEISHU_APP_SECRET: "s3cret-value", FEISHU_DOMAIN: "lark" }

  it.effect("makes a platform of its variables", () =>
    Effect.gen(function* () {
      const { settings, secrets } = yield* loading({ env })

      expect(settings.platforms).toMatchObject([
        { id: "feishu", kind: "feishu", appId: "cli_a1", domain: "lark", access: { direct: "open", group: "mention" } }
      ])
      expect(secrets.map(Redacted.value)).toEqual(["s3cret-value"])
    })
  )

  it.effect("a variable that is missing or a placeholder is told by its name", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(loading({ env: { FEISHU_APP_ID: "cli_a1" } }))
      const placeholder = yield* Effect.flip(loading({ env: { ...env, FEISHU_APP_SECRET: "your-secret-here" } }))

      expect(missing.faults.map(({ path }) => path)).toEqual(["FEISHU_APP_SECRET"])
      expect(placeholder.faults.map(({ path }) => path)).toEqual(["FEISHU_APP_SECRET"])
    })
  )

  it.effect("what is not built yet is refused by the variable that asks for it", () =>
    Effect.gen(function* () {
      const asked = { SLACK_BOT_TOKEN: "xoxb-1", DISCORD_BOT_TOKEN: "abc", OPENAI_MODEL: "m" }
      const { faults } = yield* Effect.flip(loading({ env: asked }))

      expect(faults.map(({ path }) => path)).toEqual(["OPENAI_MODEL", "SLACK_BOT_TOKEN", "DISCORD_BOT_TOKEN"])
      expect(faults.every(({ hint }) => hint.includes("not built yet"))).toBe(true)
    })
  )

  it.effect("an agent elsewhere wants a configuration file, since no variable says who is heard", () =>
    Effect.gen(function* () {
      const { faults } = yield* Effect.flip(loading({ env: { ...env, EVERGATE_AGENT_URL: "https://agent.example" } }))

      expect(faults.map(({ path }) => path)).toEqual(["EVERGATE_AGENT_URL"])
      expect(faults[0]?.expected).toContain("configuration file")
    })
  )

  it.effect("--env-file adds what the process does not set; ./.env is not read by itself", () =>
    Effect.gen(function* () {
      const files = {
        "/here/.env": "export FEISHU_APP_ID=cli_b2 # mine\nFEISHU_APP_SECRET='s3cret # value'\nFEISHU_DOMAIN=\"lark\"\n"
      }
      const { settings } = yield* loading({ envFile: ".env", env: { FEISHU_APP_ID: "cli_a1" }, files })

      expect(settings.platforms).toMatchObject([{ appId: "cli_a1", domain: "lark" }])
      expect((yield* loading({ files })).source).toBe("the embedded defaults")
      expect((yield* Effect.flip(loading({ envFile: "none" }))).message).toContain("--env-file")
    })
  )
})

describe("what a file says", () => {
  it.effect("everything that is not said is the contract's default", () =>
    Effect.gen(function* () {
      const { settings } = yield* yaml(feishu)

      expect(settings.http).toEqual({ host: "127.0.0.1", port: 8787, token: null })
      expect(Duration.toMillis(settings.shutdown.drain)).toBe(20_000)
      expect(settings.platforms).toMatchObject([
        { enabled: true, domain: "feishu", access: { direct: "open", group: "mention", allow: [], deny: [] } }
      ])
    })
  )

  it.effect("takes JSON as well as YAML", () =>
    Effect.gen(function* () {
      const files = {
        "/here/evergate.json": JSON.stringify({ http: { port: 9000 }, agent: { kind: "echo", timeout: "1m" } })
      }
      const { settings } = yield* loading({ config: "evergate.json", files })

      expect(settings.http.port).toBe(9000)
      expect(Duration.toMillis(settings.agent.timeout)).toBe(60_000)
    })
  )

  it.effect("fills in variables, defaults and files, also within braces and for numbers", () =>
    Effect.gen(function* () {
      const text = [
        "http: { host: 127.0.0.1, port: ${PORT:-9001}, token: ${EVERGATE_HTTP_TOKEN:-} }",
        "platforms:",
        "  - { id: feishu, kind: feishu, appId: cli_${NAME}, appSecret: ${file:secret.txt} }",
        "# ${NOT_SET} in a comment asks for nothing",
        "cron: [{ id: a, schedule: '@daily', deliverTo: 'feishu:oc_1', text: 'costs $${5}' }]"
      ].join("\n")
      const files = { "/here/evergate.yaml": text, "/here/secret.txt": "s3cret-value\n" }
      const { settings, secrets } = yield* loading({ env: { NAME: "a1" }, files })

      expect(settings.http).toEqual({ host: "127.0.0.1", port: 9001, token: null })
      expect(settings.platforms).toMatchObject([{ appId: "cli_a1" }])
      expect(secrets.map(Redacted.value)).toEqual(["s3cret-value"])
      expect(settings.jobs[0]?.action).toEqual({ _tag: "Text", text: "costs ${5}" })
    })
  )

  it.effect("a job is complete: zone, address, misfire", () =>
    Effect.gen(function* () {
      const job =
        "{ id: m, schedule: '0 9 * * 1-5', timezone: Asia/Shanghai, deliverTo: 'feishu:oc_1:t1', prompt: Hi, misfire: { policy: all } }"
      const { settings } = yield* yaml(
        `${feishu}\ncron: [${job}, { id: n, schedule: every 30m, deliverTo: 'feishu:oc_1', text: Hi }]`
      )

      expect(settings.jobs).toMatchObject([
        {
          timezone: "Asia/Shanghai",
          deliverTo: { platform: "feishu", chat: "oc_1", thread: "t1" },
          action: { _tag: "Prompt", prompt: "Hi" },
          misfire: { policy: "all", withinMillis: null }
        },
        { timezone: "UTC", misfire: { policy: "once", withinMillis: 3_600_000 } }
      ])
    })
  )

  it.effect("a number is taken for an id only where it reads back as it was written", () =>
    Effect.gen(function* () {
      const allow = (ids: string) => feishu.replace(" }", `, access: { direct: allowlist, allow: [${ids}] } }`)
      const { settings } = yield* yaml(allow("12345, '7123456789012345678'"))

      expect(settings.platforms[0]?.access.allow).toEqual(["12345", "7123456789012345678"])
      expect(yield* paths(allow("7123456789012345678"))).toEqual(["platforms[0].access.allow[0]"])
      expect(yield* paths(allow("0123"))).toEqual(["platforms[0].access.allow[0]"])
      expect((yield* faults(allow("7123456789012345678")))[0]?.found).toContain("put it in quotes")
    })
  )
})

describe("the file that `config init` writes", () => {
  const env = { FEISHU_APP_ID: "cli_a1", FEISHU_APP_SECRET: "s3cret-value" }

  it.effect("wants two variables, and is right once they are set", () =>
    Effect.gen(function* () {
      expect(yield* paths(template)).toEqual(["platforms[1].appId", "platforms[1].appSecret"])
      expect((yield* yaml(template, env)).settings.platforms).toMatchObject([{ id: "local" }, { id: "feishu" }])
    })
  )

  it.effect("is right with everything that it proposes taken in", () =>
    Effect.gen(function* () {
      const agents = template.replace("\nagent: { kind: echo }", "")
      const { settings } = yield* yaml(agents.replaceAll(/^#(?=\S|  )/gm, ""), env)

      expect(settings).toMatchObject({ agent: { kind: "http" }, admins: ["local:me"], jobs: [{ id: "morning" }] })
    })
  )
})

describe("a one-shot", () => {
  const file = "cron: [{ id: a, schedule: '2020-01-01T00:00:00Z', deliverTo: 'local:me', text: a }]"

  it.effect("F093: in the past is refused by name, but for one that the store has had before", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
      const loaded = yield* yaml(file)

      const error = yield* Effect.flip(refuseOver(loaded, []))
      yield* refuseOver(loaded, loaded.settings.jobs)

      expect(error.faults).toMatchObject([
        { path: "cron[0].schedule", found: 'text "2020-01-01T00:00:00Z"', expected: "an instant that is to come" }
      ])
    })
  )

  it.effect("F093: to come is a job like any other", () =>
    Effect.gen(function* () {
      const loaded = yield* yaml(file)

      expect(loaded.over).toEqual([])
      expect(loaded.settings.jobs).toHaveLength(1)
    })
  )
})

describe("what is wrong", () => {
  it.effect("is told all at once, each with key path, line, what was expected and what was found", () =>
    Effect.gen(function* () {
      const text = [
        "http: { prot: 8787, host: 5, port: 99999 }",
        "log: { level: loud }",
        "platforms:",
        "  - { id: feishu, kind: feishu, appId: cli_a1, appSecret: '' }",
        "  - { id: feishu, kind: local }",
        "  - { id: x, kind: fieshu }",
        "cron:",
        "  - { id: a, schedule: '@reboot', deliverTo: 'fieshu:oc_1', text: a, prompt: b }",
        "alarmAfter: ${NOT_SET}",
        "htpp: {}"
      ].join("\n")
      const error = yield* Effect.flip(yaml(text))

      expect(error.faults.map(({ path, line, hint }) => [path, line, hint])).toEqual([
        ["http.prot", 1, 'did you mean "port"?'],
        ["http.host", 1, "put it in quotes"],
        ["http.port", 1, "see docs/settings.md"],
        ["log.level", 2, "see docs/settings.md"],
        ["platforms[0].appSecret", 4, "see docs/settings.md"],
        ["platforms[1].id", 5, "no two may share one; rename it"],
        ["platforms[2].kind", 6, 'did you mean "feishu"?'],
        ["cron[0].deliverTo", 8, 'did you mean "feishu"?'],
        ["cron[0]", 8, "`prompt` runs a turn, `text` is sent as it is"],
        ["cron[0].schedule", 8, "write one of @yearly @annually @monthly @weekly @daily @midnight @hourly"],
        ["alarmAfter", 9, "set the environment variable NOT_SET, or use --env-file"],
        ["htpp", 10, 'did you mean "http"?']
      ])
      expect(error.message).toContain("log.level (line 2): expected ")
      expect(error.message).toContain('found text "loud"')
    })
  )

  it.effect("a fault of one setting hides none that lies between others", () =>
    Effect.gen(function* () {
      const text = [
        "http: { host: 0.0.0.0, port: 99999 }",
        "admins: [me, 'nobody:x', 'feishu:ou_77']",
        "platforms:",
        "  - { id: feishu, kind: feishu, appId: abc, appSecret: s3cret-value, domain: 'ftp://x' }",
        "  - { id: other, kind: feishu, appId: cli_b2, appSecret: xxx, domain: 'http://x.example' }",
        "  - { id: third, kind: fieshu, access: { group: none } }",
        "agent: { kind: http, url: '${NOT_SET}' }",
        "cron: [{ id: a, schedule: '61 * * * *', timezone: Mars, deliverTo: 'x:y', misfire: { policy: never } }]"
      ].join("\n")

      expect(yield* paths(text)).toEqual([
        "http.port",
        "http.token",
        "admins[0]",
        "admins[1]",
        "platforms[0].appId",
        "platforms[0].domain",
        "platforms[0].access.direct",
        "platforms[1].appSecret",
        "platforms[1].domain",
        "platforms[1].access.direct",
        "platforms[2].kind",
        "platforms[2].access.group",
        "agent.url",
        "cron[0].timezone",
        "cron[0].misfire.policy",
        "cron[0].deliverTo",
        "cron[0]",
        "cron[0].schedule"
      ])
    })
  )

  it.effect("from a setting that is not known nothing follows", () =>
    Effect.gen(function* () {
      const job = "cron: [{ id: a, schedule: '@daily', deliverTo: 'feishu:oc_1', text: a }]"

      expect(yield* paths("http: { host: '${HOST}' }")).toEqual(["http.host"])
      expect(yield* paths(`${feishu.replace("id: feishu", "id: '${ID}'")}\n${job}`)).toEqual(["platforms[0].id"])
      expect(yield* paths(`${feishu}\nagent: { kind: eco }`)).toEqual(["agent.kind"])
    })
  )

  it.effect("a key that stands twice is told with all that is wrong beside it", () =>
    Effect.gen(function* () {
      const found = yield* faults("log: { level: loud }\nhttp: {}\nhttp: {}\nalarmAfter: soon\n")

      expect(found.map(({ path, line }) => [path, line])).toEqual([
        ["log.level", 1],
        ["evergate.yaml", 3],
        ["alarmAfter", 4]
      ])
      expect(found[1]?.found).toBe("a key that stands twice: http")
    })
  )

  it.effect("one account in two platforms is told, and a second chat for the page; a disabled one is none", () =>
    Effect.gen(function* () {
      const twice = (more: string) =>
        ["platforms:", "  - { id: a, kind: local }", `  - { id: b, kind: local${more} }`]
          .concat(["c", "d"].map((id) => `  - { id: ${id}, kind: feishu, appId: cli_a1, appSecret: s3cret${more} }`))
          .join("\n")

      expect(yield* paths(twice(""))).toEqual(["platforms[1].kind", "platforms[3].appId"])
      expect((yield* yaml(twice(", enabled: '${ON:-false}'"))).settings.platforms).toHaveLength(4)
      expect(yield* paths(twice("").replace("s3cret }", "s3cret, domain: lark }"))).toEqual(["platforms[1].kind"])
      const byUrl = twice("").replace("s3cret }", 's3cret, domain: "https://open.feishu.cn/" }')
      expect(yield* paths(byUrl)).toEqual(["platforms[1].kind", "platforms[3].appId"])
    })
  )

  it.effect.each([
    ["something else", "abc"],
    ["a documentation's sample", "cli_a1b2"],
    ["a longer sample", "cli_a1b2c3d4e5f60718"],
    ["counted digits", "cli_123456"],
    ["a filler", "cli_xxxxxxxx"]
  ])("F064: %s is no app's id", ([, appId]) =>
    Effect.gen(function* () {
      expect(yield* paths(feishu.replace("cli_a1", appId ?? ""))).toEqual(["platforms[0].appId"])
    })
  )

  it.effect("F064: a real app's id is taken, whatever it begins with", () =>
    Effect.gen(function* () {
      const ids = ["cli_a1b20e6d7c95d00b", "cli_9f5343c580712544", "cli_a74ba3b8c9bd1013"]

      for (const id of ids) expect((yield* yaml(feishu.replace("cli_a1", id))).settings.platforms).toHaveLength(1)
    })
  )

  it.effect("a number where a text is due is told to be put in quotes", () =>
    Effect.gen(function* () {
      const [admin] = yield* faults("admins: [7123456789012345678]")
      const [id] = yield* faults("platforms: [{ id: 5, kind: local }]")

      expect(admin).toMatchObject({ path: "admins[0]", hint: "put it in quotes" })
      expect(id).toMatchObject({ path: "platforms[0].id", hint: "put it in quotes" })
    })
  )

  it.effect("FEISHU_DOMAIN that is none is one fault, by its name", () =>
    Effect.gen(function* () {
      const env = { FEISHU_APP_ID: "cli_a1", FEISHU_APP_SECRET: "s3cret-value", FEISHU_DOMAIN: "larksuite" }
      const { faults } = yield* Effect.flip(loading({ env }))

      expect(faults).toMatchObject([{ path: "FEISHU_DOMAIN", found: 'text "larksuite"' }])
    })
  )

  it.effect.each([
    ["an empty text", "''"],
    ["your-token-here", "your-token-here"],
    ["xoxb-...", "xoxb-..."],
    ["changeme", "changeme"],
    ["xxx", "xxx"],
    ["xoxb-xxx", "xoxb-xxxxxxxx"],
    ["<secret>", "<secret>"],
    ["a variable that holds a variable", "${NESTED}"]
  ])("F064: %s is no secret", ([, secret]) =>
    Effect.gen(function* () {
      const text = `platforms: [{ id: feishu, kind: feishu, appId: cli_a1, appSecret: ${secret} }]`

      expect(yield* paths(text, { NESTED: "${OTHER}" })).toEqual(["platforms[0].appSecret"])
    })
  )

  it.effect("F064: a variable that is not set is told with the key that asks for it", () =>
    Effect.gen(function* () {
      const [fault, ...others] = yield* faults(feishu.replace("s3cret-value", "${FEISHU_APP_SECRET}"))

      expect(fault).toMatchObject({ path: "platforms[0].appSecret", expected: "a value for ${FEISHU_APP_SECRET}" })
      expect(fault?.found).toContain("FEISHU_APP_SECRET is not set")
      expect(others).toEqual([])
    })
  )

  it.effect("F210: no fault shows a secret, wherever it was put", () =>
    Effect.gen(function* () {
      const secret = "hunter2-hunter2"
      const text = [
        "platforms:",
        "  - { id: feishu, kind: feishu, appId: cli_a1, appSecert: ${S}, appSecret: [hunter2-hunter2] }",
        "http: { port: ${S}, token: { a: hunter2-hunter2 } }",
        "agent: { kind: http, url: 'ftp://me:hunter2-hunter2@host' }",
        "proxy: 'socks://me:hunter2-hunter2@host'"
      ].join("\n")
      const error = yield* Effect.flip(yaml(text, { S: secret }))

      expect(error.faults.length).toBeGreaterThanOrEqual(6)
      expect(error.message).not.toContain(secret)
    })
  )

  it.effect("text that is no YAML is told with its line, and a key that stands twice too", () =>
    Effect.gen(function* () {
      expect(yield* faults("http: { port: 1")).toMatchObject([{ path: "evergate.yaml", line: 1 }])
      expect(yield* faults("log: {}\nhttp: {}\nhttp: {}\n")).toMatchObject([{ path: "evergate.yaml", line: 3 }])
      expect(yield* paths("- a list")).toEqual(["the whole of it"])
    })
  )

  it.effect.each([
    ["names nothing", "log: {}\nhttp: *nothing\n", 2],
    ["stands within its own anchor", "log: {}\nplatforms: &all [*all]\n", 2],
    [
      "Excessive alias count",
      [0, 1, 2, 3].reduce((text, n) => `${text}x${n + 1}: &x${n + 1} [${`*x${n},`.repeat(9)}]\n`, "x0: &x0 [1]\n"),
      1
    ]
  ] as const)("an alias that %s is a fault of the file, not a crash", ([message, text, line]) =>
    Effect.gen(function* () {
      const [first] = yield* faults(text)

      expect(first).toMatchObject({ path: "evergate.yaml", line })
      expect(first?.found).toContain(message)
    })
  )

  it.effect.each([
    ["limits: { perSender: 20/1m }", "limits"],
    ["catchUp: { within: 2h }", "catchUp"],
    ["store: { url: 'postgres://u:p@h/db' }", "store.url"],
    ["sessions: { busy: interrupt }", "sessions.busy"],
    ["announce: true", "announce"],
    ["agent: { kind: openai, model: m }", "agent.kind"],
    ["platforms: [{ id: s, kind: slack, appToken: a, botToken: b }]", "platforms[0].kind"],
    ["platforms: [{ id: m, kind: 'module:./matrix.js' }]", "platforms[0].kind"],
    ["platforms: [{ id: local, kind: local, access: { direct: pairing } }]", "platforms[0].access.direct"],
    ["cron: [{ id: a, schedule: '@daily', deliverTo: 'local:me', text: a, overlap: queue }]", "cron[0].overlap"],
    [
      "cron: [{ id: a, schedule: '@daily', deliverTo: 'local:me', text: a, quiet: { from: '22:00', to: '07:00' } }]",
      "cron[0].quiet"
    ],
    [
      "cron: [{ id: a, schedule: '@daily', deliverTo: 'local:me', text: a, onFailure: 'local:me' }]",
      "cron[0].onFailure"
    ]
  ])("what is not built yet is refused by its key path: %s", ([text, path]) =>
    Effect.gen(function* () {
      const [fault, ...others] = yield* faults(text ?? "")

      expect(fault?.path).toBe(path)
      expect(`${fault?.expected} ${fault?.hint}`).toContain("not built yet")
      expect(others).toEqual([])
    })
  )

  it.effect("the contract's own example: what is not built yet is named at once, and the sample of an app's id", () =>
    Effect.gen(function* () {
      const text = readFileSync(new URL("example.txt", import.meta.url), "utf8")

      expect(yield* paths(text, { FEISHU_APP_SECRET: "s3cret-value" })).toEqual([
        "platforms[0].appId",
        "platforms[0].access.direct",
        "platforms[1].kind",
        "platforms[2].kind",
        "platforms[3].kind",
        "platforms[4].kind",
        "limits",
        "cron[0].quiet",
        "cron[0].onFailure"
      ])
    })
  )

  it.effect("absent, off and default values of what is not built yet are accepted", () =>
    Effect.gen(function* () {
      const text = [
        "limits: off",
        "alarms: []",
        "catchUp: off",
        "watchdog: { stall: 30s, action: exit }",
        "sessions: { idle: 24h, busy: queue }",
        "announce: false",
        "cron: [{ id: a, schedule: '@daily', deliverTo: 'local:me', text: a, overlap: skip, quiet: off, onFailure: off }]"
      ].join("\n")

      expect((yield* yaml(text)).settings.limits).toBe("off")
    })
  )

  it.effect("alarms go to chats, webhooks and dead man's switches; what each lacks is told by its key path", () =>
    Effect.gen(function* () {
      const { settings, secrets } = yield* yaml(
        "alarms: [{ to: 'local:me' }, { webhook: 'https://ops.example/s3cret' }, { heartbeat: 'https://ops.example/b', every: 30s }]"
      )

      expect(settings.alarms).toMatchObject([{ to: "local:me" }, {}, { every: Duration.seconds(30) }])
      expect(secrets.map(Redacted.value)).toEqual(["https://ops.example/s3cret", "https://ops.example/b"])
      expect((yield* yaml("alarms: off")).settings.alarms).toEqual([])
      expect(yield* paths("alarms: on")).toEqual(["alarms"])
      expect(
        yield* paths(
          [
            "alarms:",
            "  - { to: 'slack:C0' }",
            "  - { to: nowhere }",
            "  - { webhook: 'ftp://ops.example' }",
            "  - { heartbeat: 'https://ops.example', every: 10ms }",
            "  - { webhook: 'https://ops.example', every: 1m }",
            "  - { mail: 'ops@example' }"
          ].join("\n")
        )
      ).toEqual([
        "alarms[0].to",
        "alarms[1].to",
        "alarms[2].webhook",
        "alarms[3].every",
        "alarms[4].every",
        "alarms[5]"
      ])
    })
  )

  it.effect("an agent other than echo wants access stated on every platform; the page's own chat is none of them", () =>
    Effect.gen(function* () {
      const agent = "agent: { kind: http, url: 'https://agent.example/turn' }"
      const stated = feishu.replace(" }", ", access: { direct: open } }")

      expect(yield* paths(`${agent}\n${feishu}`)).toEqual(["platforms[0].access.direct"])
      expect((yield* yaml(`${agent}\n${stated}`)).settings.agent.kind).toBe("http")
      expect((yield* yaml(agent)).settings.platforms[0]?.access.direct).toBe("open")
    })
  )

  it.effect("a host that is not loopback wants a token", () =>
    Effect.gen(function* () {
      expect(yield* paths("http: { host: 0.0.0.0 }")).toEqual(["http.token"])
      expect((yield* yaml("http: { host: 0.0.0.0, token: a-long-token }")).settings.http.host).toBe("0.0.0.0")
      expect((yield* yaml("http: { host: '::1' }")).settings.http.token).toBeNull()
    })
  )

  it.effect("a private deployment is spoken to by TLS, but for this machine", () =>
    Effect.gen(function* () {
      const domain = (url: string) => feishu.replace(" }", `, domain: '${url}' }`)

      expect(yield* paths(domain("http://feishu.corp.example"))).toEqual(["platforms[0].domain"])
      expect((yield* yaml(domain("http://127.0.0.1:9999"))).settings.platforms).toHaveLength(1)
      expect((yield* yaml(domain("https://feishu.corp.example"))).settings.platforms).toHaveLength(1)
    })
  )

  it.effect(
    "a job's text to a platform that is not there is a fault, also where that platform has one of its own",
    () =>
      Effect.gen(function* () {
        const job = "cron: [{ id: a, schedule: '@daily', deliverTo: 'feishu:oc_1', text: a }]"

        expect(yield* paths(job)).toEqual(["cron[0].deliverTo"])
        expect(yield* paths(`${feishu.replace("s3cret-value", "''")}\n${job}`)).toEqual(["platforms[0].appSecret"])
      })
  )
})
