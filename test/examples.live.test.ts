/** The example of an adapter, against a far end of its own: what it promises to the gateway, it keeps. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import { EchoAgent, Gateway, LinkSettings, PlatformId, Store, Supervisor } from "evergate"
import * as Lines from "../examples/adapter.ts"
import type { LineServer } from "./lineServer.ts"
import { lineServer } from "./lineServer.ts"
import { until } from "./service.ts"

const token = "a-long-token"
const link: LinkSettings.LinkSettings = {
  ...LinkSettings.defaults,
  heartbeat: { interval: Duration.millis(100), timeout: Duration.millis(200) },
  retry: { ...LinkSettings.defaults.retry, base: Duration.millis(10), max: Duration.millis(50) }
}

const gatewayTo = ({ port }: LineServer, secret = token) =>
  Lines.layer({
    id: PlatformId.make("lines"),
    access: { direct: "open", group: "mention", allow: [], deny: [] },
    link,
    settings: { host: "127.0.0.1", port, token: Redacted.make(secret) }
  }).pipe(
    Layer.provideMerge(Gateway.layer({ drain: Duration.seconds(1) })),
    Layer.provide(EchoAgent.layer),
    Layer.provide(Store.layerMemory)
  )

/** The link, once it is as it should be. */
const linkWhere = (is: (link: { readonly state: string; readonly connects: number }) => boolean) =>
  Effect.gen(function* () {
    const supervisor = yield* Supervisor
    const [link] = yield* until(supervisor.links, ([link]) => link !== undefined && is(link))
    return link
  })

const message = (id: string, text: string, more = {}) => ({
  _tag: "Message",
  id,
  chat: "c1",
  direct: true,
  user: "u1",
  text,
  sentAt: 1_764_532_800_000,
  ...more
})

const wait = (server: LineServer, tag: string, count: number) =>
  until(
    Effect.sync(() => server.told(tag)),
    (lines) => lines.length >= count
  )

describe("the example of an adapter", () => {
  it.live("acknowledges what came, answers it by the gateway's agent, and takes a repeat for one", () =>
    Effect.gen(function* () {
      const server = yield* lineServer(token)
      yield* Effect.gen(function* () {
        yield* linkWhere(({ state }) => state === "connected")

        yield* server.push(message("m1", "hello\nthere"))
        yield* server.push(message("m1", "hello\nthere"))
        yield* server.push(message("m2", "not for the bot", { direct: false, chat: "c2" }))
        yield* server.push(message("m3", "@bot and this?", { direct: false, chat: "c2" }))
        const acks = yield* wait(server, "Ack", 4)
        const said = yield* wait(server, "Say", 2)

        assert.sameMembers(
          acks.map(({ id }) => id),
          ["m1", "m1", "m2", "m3"]
        )
        assert.sameDeepMembers(
          said.map(({ chat, text }) => [chat, text]),
          [
            ["c1", "hello\nthere"],
            ["c2", "@bot and this?"]
          ]
        )
      }).pipe(Effect.provide(gatewayTo(server)))
    }).pipe(Effect.scoped)
  )

  it.live("a token that is refused needs a person", () =>
    Effect.gen(function* () {
      const server = yield* lineServer(token)
      const link = yield* linkWhere(({ state }) => state === "failed").pipe(
        Effect.provide(gatewayTo(server, "another-token"))
      )

      assert.strictEqual(link?.lastError?.kind, "Auth")
      assert.include(link?.lastError?.message, "it knows no such token")
    }).pipe(Effect.scoped)
  )

  it.live("a far end that falls silent is left for a new connection", () =>
    Effect.gen(function* () {
      const server = yield* lineServer(token)
      yield* Effect.gen(function* () {
        yield* linkWhere(({ state }) => state === "connected")

        yield* server.goSilent
        const link = yield* linkWhere(({ connects }) => connects === 2)
        yield* server.push(message("m1", "still there?"))
        const said = yield* wait(server, "Say", 1)

        assert.strictEqual(link?.lastError?.kind, "KeepaliveTimeout")
        assert.strictEqual(said[0]?.["text"], "still there?")
      }).pipe(Effect.provide(gatewayTo(server)))
    }).pipe(Effect.scoped)
  )

  it.live("a goodbye is a hand-over: connected again without having been away", () =>
    Effect.gen(function* () {
      const server = yield* lineServer(token)
      yield* Effect.gen(function* () {
        yield* linkWhere(({ state }) => state === "connected")

        yield* server.push({ _tag: "Bye" })
        const link = yield* linkWhere(({ connects }) => connects === 2)

        assert.deepStrictEqual([link?.state, link?.disconnects, server.welcomed()], ["connected", 0, 2])
      }).pipe(Effect.provide(gatewayTo(server)))
    }).pipe(Effect.scoped)
  )
})
