/** What commands ask of a configuration: where its gateway is, and nothing that only the gateway needs. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Wanted } from "../../src/config/find.ts"
import { whereabouts } from "../../src/config/whereabouts.ts"
import { disk } from "./disk.ts"

const at = (file: string, env: Readonly<Record<string, string>> = {}, wanted: Wanted = {}) =>
  whereabouts(wanted, { env, cwd: "/here", userHome: "/home/me" }).pipe(
    Effect.provide(disk({ "/here/evergate.yaml": file }))
  )

const faults = (file: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(Effect.flip(at(file, env)), ({ faults }) => faults.map(({ path }) => path))

describe("the whereabouts of a gateway", () => {
  it.effect("are its home, its address, its store and the names of its platforms", () =>
    Effect.gen(function* () {
      const found = yield* at(
        "home: ~/gate\nhttp: { port: 9000 }\nplatforms: [{ id: a, kind: feishu }, { id: b, kind: feishu }]"
      )

      expect(found).toEqual({
        home: "/home/me/gate",
        http: { host: "127.0.0.1", port: 9000, token: null },
        store: { url: "sqlite:evergate.db" },
        platforms: ["a", "b"]
      })
    })
  )

  it.effect("need no secret of the file, and nothing that is wrong elsewhere in it", () =>
    Effect.gen(function* () {
      const found = yield* at(
        [
          "http: { port: '${PORT:-9000}', token: '${EVERGATE_HTTP_TOKEN}' }",
          "platforms: [{ id: feishu, kind: feishu, appId: '${APP}', appSecret: '${file:/none}', frob: 1 }]",
          "agent: { kind: http, secret: '${AGENT_SECRET}' }",
          "cron: [{ schedule: never }]"
        ].join("\n")
      )

      expect(found.http).toEqual({ host: "127.0.0.1", port: 9000, token: null })
      expect(found.platforms).toEqual(["feishu"])
    })
  )

  it.effect("want the token where the gateway wants it, and tell what is wrong with themselves", () =>
    Effect.gen(function* () {
      const open = "http: { host: 0.0.0.0, token: '${TOKEN}' }"

      expect(yield* faults(open)).toEqual(["http.token"])
      expect((yield* at(open, { TOKEN: "a-long-token" })).http.token).not.toBeNull()
      expect(yield* faults("home: '${NOT_SET}'\nhttp: { port: x, prot: 1 }")).toEqual([
        "home",
        "http.prot",
        "http.port"
      ])
      expect(yield* faults("http: {")).toEqual(["evergate.yaml"])
    })
  )

  it.effect("without a file are those of the environment", () =>
    Effect.gen(function* () {
      const env = { FEISHU_APP_ID: "cli_a1", EVERGATE_HTTP_TOKEN: "a-long-token", EVERGATE_HOME: "/state" }
      const found = yield* whereabouts({}, { env, cwd: "/here", userHome: "/home/me" }).pipe(Effect.provide(disk({})))

      expect(found).toMatchObject({ home: "/state", platforms: ["feishu"] })
    })
  )
})
