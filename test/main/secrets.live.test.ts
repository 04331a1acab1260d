/** Secrets planted in every place that takes one, far ends that echo them, and every output searched for them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"
import { json } from "../../src/testing/HttpAnswer.ts"
import { agentServer } from "../agentServer.ts"
import { ask, stream } from "../asking.ts"
import { collector } from "../collector.ts"
import { command, feishuOf, gatewayOf, lineOf, place, start, until } from "../service.ts"

const planted = {
  app: "planted-secret-of-the-app",
  signature: "planted-secret-of-the-agent",
  password: "planted%2Fpassword",
  token: "planted-token-of-the-api",
  telemetry: "planted-key-of-the-collector"
}
const echoed = Object.values(planted).join(" ")
const search = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/planted(?:-\w+|%2F|\/)+/g)].map(([found]) => found)

/** Every file of a home, as bytes. */
const filesIn = (folder: string): ReadonlyArray<{ readonly file: string; readonly text: string }> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => ({ file, path: join(folder, file) }))
    .filter(({ path }) => statSync(path).isFile())
    .map(({ file, path }) => ({ file, text: readFileSync(path, "latin1") }))

const paths = [
  "/api/status",
  "/api/tree",
  "/api/platforms/feishu/timeline",
  "/api/platforms/echoes/timeline",
  "/api/outbox?state=dead",
  "/api/outbox?state=pending",
  "/api/sessions",
  "/api/chat",
  "/api/cron",
  "/metrics",
  "/readyz",
  "/openapi.json",
  "/docs",
  "/"
]

describe("F210: secrets", () => {
  it.live("are in no log, answer, metric, trace, error or file, also where a far end echoes them", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ appSecret: planted.app })
      const echoing = yield* Peer.make({ appSecret: planted.app })
      yield* echoing.exchange.endpoint.always(json({ code: 1000040345, msg: `no app with ${echoed}` }))
      yield* peer.exchange.messages.always(json({ code: 230002, msg: `no chat for ${echoed}` }, 400))
      const agent = yield* agentServer(() => Effect.succeed(json({ error: `wrong: ${echoed}` }, 500)))
      const exported = yield* collector()
      const here = yield* place({
        http: { port: 0, token: planted.token },
        log: { level: "trace", format: "json" },
        agent: { kind: "http", url: agent.url.replace("//", `//me:${planted.password}@`), secret: planted.signature },
        platforms: [
          { id: "local", kind: "local" },
          feishuOf(peer, { access: { direct: "open" } }),
          feishuOf(echoing, { id: "echoes", appId: "cli_0123456789abcdee", access: { direct: "open" } })
        ]
      })
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: exported.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${planted.telemetry}`
      }
      const running = yield* start(here, ["run"], { env })
      const gateway = gatewayOf(running, String((yield* lineOf(running, "ready", {}))["url"]))
      const events = yield* stream(`${gateway.url}/api/events`)
      yield* gateway.line("connected", { platform: "feishu" })
      yield* gateway.line("disconnected", { platform: "echoes" })
      const said = yield* peer.say({ text: "hello", chatType: "p2p" })
      yield* gateway.line("dead letter", { platform: "feishu" })
      yield* gateway.statusWhere(({ outbox }) => outbox.dead === 1)

      const answers = yield* Effect.forEach([...paths, `/api/messages/${said.messageId}/trace`], (path) =>
        Effect.map(ask(`${gateway.url}${path}`), ({ text }) => ({ what: path, text }))
      )
      const commands = yield* Effect.forEach(
        [["status"], ["trace", said.messageId], ["config", "check"], ["doctor"]],
        (args) =>
          Effect.map(command(here, args, { env }), ({ err, out }) => ({ what: args.join(" "), text: `${out}${err}` }))
      )
      yield* gateway.stop()
      const bodies = yield* until(exported.asked, (asked) => asked.some(({ path }) => path === "/v1/traces"))
      const leaks = [
        ...answers,
        ...commands,
        { what: "/api/events", text: events.text() },
        { what: "the log", text: running.out() + running.err() },
        ...bodies.map(({ body, path }) => ({ what: path, text: body })),
        ...filesIn(here.home).map(({ file, text }) => ({ what: file, text }))
      ].flatMap(({ text, what }) => search(text).map((found) => `${what}: ${found}`))

      assert.deepStrictEqual([...new Set(leaks)], [])
      assert.include(answers.map(({ text }) => text).join(""), "<redacted>")
      assert.isAbove(bodies.length, 1)
    })
  )
})
