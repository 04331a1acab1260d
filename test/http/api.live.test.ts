/** Every endpoint over the real graph and real HTTP, as a script would ask it. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { Line, RunView } from "../../src/http/Api.ts"
import { Change } from "../../src/http/platformGroup.ts"
import { JobSummary, Status } from "../../src/http/Status.ts"
import { TreePart } from "../../src/http/Tree.ts"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"
import { agentServer, says } from "../agentServer.ts"
import { ask, post, stream } from "../asking.ts"
import { feishuOf, until } from "../service.ts"
import { served } from "./served.ts"

const read = <A>(schema: Schema.Decoder<A>) => Schema.decodeUnknownSync(schema)

const daily = { id: "daily", schedule: "@daily", deliverTo: "local:me", text: "good morning" }

/** Everything a text can carry that somebody might take for markup, for a line of a protocol or for a command. */
const hostile = [
  "<img src=x onerror=alert(1)>",
  "event: link\ndata: {}\n\n",
  "\r\nHTTP/1.1 200 OK\r\n",
  "\u001b[2J\u0000\u202e\u2028",
  `"}],"x":[{"`,
  "'); DROP TABLE inbox; --",
  "喂 🙂"
].join("|")

describe("status and probes", () => {
  it.live("the status is the contract's object, and reading it changes nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* served({ cron: [daily] })
      yield* until(ask(`${url}/readyz`), ({ text }) => text.includes("connected"))

      const answers = yield* Effect.all([ask(`${url}/api/status`), ask(`${url}/api/status`)])

      const [one, two] = answers.map(({ json }) => read(Status)(json))
      assert.containSubset(one, {
        version: "0.1.0",
        pid: 42,
        health: "ok",
        reasons: [],
        platforms: [{ id: "local", kind: "local", state: "connected" }],
        cron: { running: true, jobs: [{ id: "daily", last: null }] },
        inbox: { accepted: 0, duplicates: 0, refused: 0, unprocessed: 0 },
        store: { ok: true, lastError: null },
        config: { source: "a test" }
      })
      assert.deepStrictEqual({ ...two, uptimeMs: 0, process: null }, { ...one, uptimeMs: 0, process: null })
    })
  )

  it.live("a gateway without accounts lives and is ready", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})

      const [livez, readyz] = yield* Effect.all([ask(`${url}/livez`), ask(`${url}/readyz`)])

      assert.deepStrictEqual([livez.status, livez.text], [200, "ok\n"])
      assert.strictEqual(readyz.status, 200)
      assert.containSubset(readyz.json, { health: "ok", reasons: [], platforms: [{ id: "local" }] })
    })
  )

  it.live("/livez turns 503 and names the part that makes no progress, until it makes some", () =>
    Effect.gen(function* () {
      const { url, supervision } = yield* served({})
      const part = yield* supervision.register("lane feishu")

      yield* part.progress(Duration.zero)
      const stands = yield* until(ask(`${url}/livez`), ({ status }) => status === 503)
      const unready = yield* ask(`${url}/readyz`)
      yield* part.progress(Duration.minutes(1))
      const again = yield* ask(`${url}/livez`)

      assert.strictEqual(stands.text, "lane feishu: no progress\n")
      assert.containSubset(unready, {
        status: 503,
        json: { health: "degraded", reasons: ["lane feishu: no progress"] }
      })
      assert.strictEqual(again.status, 200)
    })
  )

  it.live("F221: a platform that is away makes it unready, never dead, and says what both of its sides are", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make()
      yield* peer.upgrades.always({ _tag: "Refuse", status: 403 })
      const { url } = yield* served({ platforms: [feishuOf(peer)] })

      const { json } = yield* until(
        ask(`${url}/api/status`),
        ({ json }) => read(Status)(json).reasons.length > 0 && read(Status)(json).platforms[0]?.lastError !== null
      )
      const [livez, readyz] = yield* Effect.all([ask(`${url}/livez`), ask(`${url}/readyz`)])

      assert.containSubset(json, { health: "down", platforms: [{ lastError: { kind: "HandshakeRejected" } }] })
      assert.deepStrictEqual([livez.status, readyz.status], [200, 503])
    })
  )
})

describe("a stop in progress", () => {
  it.live("is seen as what it is: alive, not ready, and why", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<void>()
      const agent = yield* agentServer(() => Effect.as(Deferred.await(answered), says("at last")))
      const scope = yield* Scope.make()
      const { url } = yield* Scope.provide(served({ agent: { kind: "http", url: agent.url } }), scope)
      yield* post(`${url}/api/chat`, { text: "a long story" })
      yield* until(agent.turns, (turns) => turns.length === 1)

      const closing = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
      const readyz = yield* until(ask(`${url}/readyz`), ({ status }) => status === 503)
      const [livez, status] = yield* Effect.all([ask(`${url}/livez`), ask(`${url}/api/status`)])
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(closing)

      assert.containSubset(readyz.json, { health: "degraded", reasons: ["stopping"] })
      assert.deepStrictEqual([livez.status, livez.text], [200, "ok\n"])
      assert.containSubset(status.json, { health: "degraded", reasons: ["stopping"] })
    })
  )
})

describe("a gateway without a local platform", () => {
  it.live("has no chat, and says so at once", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make()
      const { url } = yield* served({ platforms: [feishuOf(peer)] })

      const heard = yield* ask(`${url}/api/chat`)
      const said = yield* post(`${url}/api/chat`, { text: "hello" })

      assert.deepStrictEqual([heard.status, said.status], [404, 404])
    })
  )
})

describe("by hand", () => {
  it.live("F219: a link is replaced, stopped and started, and each answer is the platform as it is then", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make()
      const { url } = yield* served({ platforms: [feishuOf(peer), { id: "local", kind: "local" }] })
      const of = `${url}/api/platforms/feishu`
      const statusWhere = (is: (status: Status) => boolean) =>
        until(
          Effect.map(ask(`${url}/api/status`), ({ json }) => read(Status)(json)),
          is
        )
      yield* statusWhere(({ health }) => health === "ok")

      const replaced = yield* post(`${of}/reconnect`, {})
      const { platforms } = yield* statusWhere(({ platforms }) => platforms[0]?.connects === 2)
      const stopped = yield* post(`${of}/stop`, {})
      const refused = yield* post(`${of}/reconnect`, {})
      const ready = yield* ask(`${url}/readyz`)
      const started = yield* post(`${of}/start`, {})
      yield* statusWhere(({ platforms }) => platforms[0]?.state === "connected")

      assert.containSubset(replaced, { status: 200, json: { id: "feishu" } })
      assert.containSubset(platforms, [
        { id: "feishu", disconnects: 0 },
        { id: "local", connects: 1 }
      ])
      assert.containSubset(stopped, { status: 200, json: { id: "feishu", state: "stopped" } })
      assert.containSubset(refused, { status: 409, json: { what: `"feishu" is stopped` } })
      assert.containSubset(ready, {
        status: 200,
        json: { health: "ok", platforms: [{ id: "feishu", state: "stopped" }] }
      })
      assert.containSubset(started, { status: 200, json: { id: "feishu" } })
    })
  )

  it.live("of what is not there is 404, and without JSON 415", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const paths = ["reconnect", "stop", "start"].map((what) => `${url}/api/platforms/nobody/${what}`)

      const unknown = yield* Effect.forEach(paths, (path) => post(path, {}))
      const bare = yield* Effect.forEach(paths, (path) => ask(path, { method: "POST" }))

      unknown.forEach((answer) =>
        assert.containSubset(answer, { status: 404, json: { what: `there is no platform "nobody"` } })
      )
      assert.deepStrictEqual(
        bare.map(({ status }) => status),
        [415, 415, 415]
      )
    })
  )
})

describe("the tree", () => {
  it.live("has every long-lived part, a platform's under it, and what waits", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      yield* until(ask(`${url}/readyz`), ({ text }) => text.includes("connected"))

      const { json } = yield* ask(`${url}/api/tree`)

      const tree = read(TreePart)(json)
      assert.containSubset(tree, { name: "evergate", state: "ok", waiting: { turns: 0, outbox: 0 } })
      assert.containSubset(tree.parts[0], { name: "local", state: "connected", waiting: { turns: 0, outbox: 0 } })
      assert.sameMembers(tree.parts[0]?.parts.map(({ name }) => name) ?? [], ["lanes local", "connection local"])
      const others = tree.parts.slice(1)
      assert.includeMembers(
        others.map(({ name }) => name),
        ["ticker", "alarms", "pauses", "pruner", "pulse", "store probe", "http server"]
      )
      others.forEach((part) =>
        assert.containSubset(part, { state: "running", restarts: 0, overdueMs: null, parts: [] })
      )
      others.forEach(({ uptimeMs, sinceProgressMs }) => {
        assert.isAtLeast(uptimeMs ?? -1, 0)
        assert.isAtLeast(sinceProgressMs ?? -1, 0)
      })
    })
  )

  it.live("shows a part that stands, and by how much it is late", () =>
    Effect.gen(function* () {
      const { url, supervision } = yield* served({})
      const part = yield* supervision.register("slow part")
      yield* part.progress(Duration.zero)

      const shown = yield* until(
        Effect.map(ask(`${url}/api/tree`), ({ json }) => read(TreePart)(json)),
        ({ parts }) => parts.some(({ state }) => state === "standing")
      )

      const standing = shown.parts.find(({ state }) => state === "standing")
      assert.strictEqual(standing?.name, "slow part")
      assert.isAbove(standing?.overdueMs ?? 0, 0)
    })
  )
})

describe("the timeline", () => {
  it.live("tells the changes of a link, newest first, as many as are asked for", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const timeline = `${url}/api/platforms/local/timeline`

      const all = yield* until(ask(timeline), ({ json }) => Array.isArray(json) && json.length === 2)
      const one = yield* ask(`${timeline}?limit=1`)

      const states = read(Schema.Array(Change))(all.json).map(({ state }) => state)
      assert.deepStrictEqual(states, ["connected", "connecting"])
      assert.deepStrictEqual(
        read(Schema.Array(Change))(one.json).map(({ state }) => state),
        ["connected"]
      )
    })
  )

  it.live("of a platform that does not exist is 404, of a limit that is none 400", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})

      const unknown = yield* ask(`${url}/api/platforms/nobody/timeline`)
      const limits = yield* Effect.forEach(["0", "1001", "1.5", "all", "-1"], (limit) =>
        ask(`${url}/api/platforms/local/timeline?limit=${limit}`)
      )

      assert.containSubset(unknown, { status: 404, json: { what: `there is no platform "nobody"` } })
      assert.deepStrictEqual(
        limits.map(({ status }) => status),
        [400, 400, 400, 400, 400]
      )
      assert.include(limits[0]?.text, "limit")
    })
  )
})

describe("sending", () => {
  it.live("is accepted with an id, and delivered once for all requests with one key", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const message = { to: "local:me", text: "one", idempotencyKey: "k1" }

      const [one, two] = yield* Effect.all([post(`${url}/api/messages`, message), post(`${url}/api/messages`, message)])
      const other = yield* post(`${url}/api/messages`, { ...message, idempotencyKey: "k2" })
      const transcript = yield* until(ask(`${url}/api/chat`), ({ json }) => read(Schema.Array(Line))(json).length === 2)

      assert.deepStrictEqual([one?.status, two?.status, other.status], [202, 202, 202])
      assert.deepStrictEqual(one?.json, two?.json)
      assert.notDeepEqual(one?.json, other.json)
      assert.deepStrictEqual(
        read(Schema.Array(Line))(transcript.json).map(({ text }) => text),
        ["one", "one"]
      )
    })
  )

  it.live("is refused with what is wrong and what to do", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const wrong: ReadonlyArray<readonly [body: unknown, status: number, named: string]> = [
        [{ to: "nowhere", text: "x" }, 400, "is not an address"],
        [{ to: "slack:C1", text: "x" }, 404, `there is no platform \\"slack\\"`],
        [{ to: "local:me" }, 400, "text"],
        [{ to: "local:me", text: "" }, 400, "text"],
        [{ to: "local:me", text: 5 }, 400, "text"],
        [{ text: "x" }, 400, "to"],
        [{ to: "local:me", text: "x".repeat(100_001) }, 400, "text"],
        [{ to: "local:me", text: "x", idempotencyKey: "" }, 400, "idempotencyKey"],
        [[], 400, "what"]
      ]

      const answers = yield* Effect.forEach(wrong, ([body]) => post(`${url}/api/messages`, body))

      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        wrong.map(([, status]) => status)
      )
      answers.forEach(({ text }, index) => assert.include(text, wrong[index]?.[2] ?? "?"))
      assert.containSubset((yield* ask(`${url}/api/status`)).json, { outbox: { pending: 0, delivered: 0, dead: 0 } })
    })
  )
})

describe("cron", () => {
  it.live("lists jobs, runs one, and keeps its history", () =>
    Effect.gen(function* () {
      const { url } = yield* served({ cron: [daily] })

      const [job] = read(Schema.Array(JobSummary))((yield* ask(`${url}/api/cron`)).json)
      const none = yield* ask(`${url}/api/cron/daily/runs`)
      const ran = yield* post(`${url}/api/cron/daily/run`, {})
      const runs = yield* until(ask(`${url}/api/cron/daily/runs`), ({ text }) => text.includes("delivered"))
      const chat = yield* ask(`${url}/api/chat`)

      assert.containSubset(job, { id: "daily", schedule: "@daily", timezone: "UTC", deliverTo: "local:me", last: null })
      assert.deepStrictEqual(none.json, [])
      assert.containSubset(read(RunView)(ran.json), { job: "daily", outcome: "ok" })
      assert.containSubset(read(Schema.Array(RunView))(runs.json), [
        { job: "daily", outcome: "ok", delivery: "delivered" }
      ])
      assert.containSubset(chat.json, [{ from: "gateway", text: "good morning" }])
    })
  )

  it.live("a job that does not exist is 404", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})

      const answers = yield* Effect.all([post(`${url}/api/cron/none/run`, {}), ask(`${url}/api/cron/none/runs`)])

      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [404, 404]
      )
      assert.containSubset(answers[0]?.json, { hint: "GET /api/cron lists them" })
    })
  )
})

describe("the chat and the events", () => {
  it.live("hostile text comes back as the text that it was, in the transcript and in one event", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const events = yield* stream(`${url}/api/events`)

      const said = yield* post(`${url}/api/chat`, { text: hostile })
      const chat = yield* until(ask(`${url}/api/chat`), ({ json }) => read(Schema.Array(Line))(json).length === 2)
      const names = yield* until(
        Effect.sync(() => eventsOf(events.text())),
        (all) => all.some(({ name }) => name === "delivery")
      )

      assert.strictEqual(said.status, 202)
      assert.deepStrictEqual(
        read(Schema.Array(Line))(chat.json).map(({ from, text }) => [from, text]),
        [
          ["sender", hostile],
          ["gateway", hostile]
        ]
      )
      assert.strictEqual(events.headers["content-type"], "text/event-stream")
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        ["message", "turn", "turn", "delivery"]
      )
      assert.containSubset(names[0]?.data, { _tag: "MessageAccepted", text: hostile, address: "local:me" })
    })
  )

  it.live("an empty or endless text is refused", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})

      const answers = yield* Effect.forEach(["", "x".repeat(100_001)], (text) => post(`${url}/api/chat`, { text }))

      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [400, 400]
      )
    })
  )

  it.live("a stream of events that is open does not hold a stop", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { url } = yield* Scope.provide(served({}), scope)
      const events = yield* stream(`${url}/api/events`)
      yield* until(
        Effect.sync(() => events.text()),
        (text) => text.includes(": alive")
      )

      const [took] = yield* Effect.timed(Scope.close(scope, Exit.void))
      yield* events.ended

      assert.isBelow(Duration.toMillis(took), 2_000)
    })
  )
})

/** Comments are no events. */
const eventsOf = (text: string) =>
  text
    .split("\n\n")
    .slice(0, -1)
    .filter((block) => !block.startsWith(":"))
    .map((block) => {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      return { name: field("event"), data: JSON.parse(field("data") ?? "null") as unknown }
    })

describe("who may ask", () => {
  it.live("strangers are refused before anything happens", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const body = JSON.stringify({ to: "local:me", text: "x" })
      const json = { "content-type": "application/json" }
      const asked = (headers: Readonly<Record<string, string>>, text = body) =>
        ask(`${url}/api/messages`, { method: "POST", headers, body: text })

      const answers = yield* Effect.all([
        asked({ ...json, host: "evil.example" }),
        asked({ ...json, origin: "http://evil.example" }),
        asked({ "content-type": "text/plain" }),
        asked({ "content-type": "application/x-www-form-urlencoded" }, "to=local:me&text=x"),
        asked(json, JSON.stringify({ to: "local:me", text: "x".repeat(1024 * 1024) })),
        asked({ ...json, "transfer-encoding": "chunked" }, "x".repeat(1024 * 1024 + 1)),
        asked(json, `{"to":`),
        asked(json, ""),
        ask(`${url}/api/nothing`),
        ask(`${url}/api/messages`),
        ask(`${url}/`, { method: "FROBNICATE" }),
        ask(`${url}/api/status`, { headers: { "x-long": "x".repeat(20_000) } })
      ])

      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [421, 403, 415, 415, 413, 413, 400, 400, 404, 404, 400, 431]
      )
      answers.forEach(({ json, headers }) => {
        assert.containsAllKeys(json, ["what", "where", "hint"])
        assert.match(String(headers["content-type"]), /^application\/json/)
      })
      assert.containSubset((yield* ask(`${url}/api/status`)).json, { outbox: { pending: 0, delivered: 0 } })
      // Two of them never came as far as the routes: Node's parser refused them.
      answers.slice(0, 10).forEach(({ headers }) => assert.strictEqual(headers["x-content-type-options"], "nosniff"))
    })
  )

  it.live("a listener that others reach wants the token, but for the probe of life and the empty page", () =>
    Effect.gen(function* () {
      const { url } = yield* served({ http: { host: "0.0.0.0", port: 0, token: "0123456789" } })
      const here = url.replace("0.0.0.0", "127.0.0.1")
      const statusOf = (path: string, token?: string) =>
        Effect.map(
          ask(`${here}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
          ({ status }) => status
        )

      const without = yield* Effect.forEach(
        ["/livez", "/", "/page/page.js", "/readyz", "/api/status", "/api/events"],
        (path) => statusOf(path)
      )
      const given = yield* Effect.all([statusOf("/api/status", "0123456789"), statusOf("/api/status", "987654321")])

      assert.deepStrictEqual(without, [200, 200, 200, 401, 401, 401])
      assert.deepStrictEqual(given, [200, 401])
    })
  )

  it.live("the page loads nothing from elsewhere and is in nobody's frame; what is not there is 404", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})

      const page = yield* ask(`${url}/`)
      const missing = yield* Effect.forEach(
        ["/etc/passwd", "/page/../package.json", "/page/%2e%2e/Server.ts", "/api/nothing"],
        (path) => ask(`${url}${path}`)
      )

      assert.include(page.headers["content-security-policy"], "frame-ancestors 'none'")
      assert.include(page.text, "<title>evergate</title>")
      assert.deepStrictEqual(
        missing.map(({ status }) => status),
        [404, 404, 404, 404]
      )
    })
  )
})
