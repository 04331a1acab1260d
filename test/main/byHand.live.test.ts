/** What a hand does about messages that could not be delivered and sessions that hang, by the commands, on a running gateway. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hang } from "../../src/testing/HttpAnswer.ts"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { failure } from "../../src/testing/feishu/routes.ts"
import { agentServer } from "../agentServer.ts"
import { command, feishuOf, gateway, place, until } from "../service.ts"

/** Feishu's word that the bot is not in the chat: nothing that comes again by itself. */
const notThere = failure(230002, "Bot/User can NOT be out of the chat.", 400)

describe.concurrent("by hand", () => {
  it.live("F109: a dead letter is listed with its reason, delivered once it is tried again, or dropped", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({ platforms: [feishuOf(peer)] })
      const running = yield* gateway(here)
      yield* running.line("connected", { platform: "feishu" })
      yield* peer.exchange.messages.next(notThere)
      yield* peer.exchange.messages.next(notThere)
      yield* command(here, ["send", "--to", "feishu:oc_1", "first"])
      yield* command(here, ["send", "--to", "feishu:oc_1", "second"])
      yield* running.statusWhere(({ outbox }) => outbox.dead === 2)

      const listed = yield* command(here, ["outbox", "list", "--state", "dead", "--json"])
      const dead = JSON.parse(listed.out) as ReadonlyArray<{ id: string; text: string; lastError: string }>
      const [second, first] = dead
      const retried = yield* command(here, ["outbox", "retry", first?.id ?? ""])
      yield* until(peer.exchange.ledger, (sent) => sent.length === 1)
      const dropped = yield* command(here, ["outbox", "drop", second?.id ?? ""])
      const again = yield* command(here, ["outbox", "drop", second?.id ?? ""])
      const { outbox } = yield* running.statusWhere(({ outbox }) => outbox.delivered === 1)
      yield* running.stop()

      assert.deepStrictEqual(
        dead.map(({ text }) => text),
        ["second", "first"]
      )
      assert.include(first?.lastError, "230002")
      assert.deepStrictEqual([listed.code, retried.code, dropped.code, again.code], [0, 0, 0, 1])
      assert.include(again.err, "evergate outbox list --state dead")
      assert.deepStrictEqual(
        (yield* peer.exchange.ledger).map(({ text }) => text),
        ["first"]
      )
      assert.deepStrictEqual(outbox, { pending: 0, delivered: 1, dead: 0 })
    })
  )

  it.live("F136: a session whose turn hangs is seen, and what waits behind it ends by a reset", () =>
    Effect.gen(function* () {
      const agent = yield* agentServer(() => Effect.succeed(hang))
      const here = yield* place({
        agent: { kind: "http", url: agent.url },
        platforms: [{ id: "local", kind: "local" }],
        shutdown: { drain: "1s" }
      })
      const running = yield* gateway(here)
      yield* running.post("/api/chat", { text: "one" })
      yield* until(agent.turns, (turns) => turns.length === 1)
      yield* running.post("/api/chat", { text: "two" })
      const listed = yield* command(here, ["sessions", "list", "--json"])
      const reset = yield* command(here, ["sessions", "reset", "local:me"])
      const after = yield* command(here, ["sessions", "list", "--json"])
      yield* running.stop()

      assert.containSubset(JSON.parse(listed.out), [{ key: "local:me", waiting: 2, lastOutcome: null }])
      assert.include(reset.out, "1 message that waited")
      assert.containSubset(JSON.parse(after.out), [{ key: "local:me", waiting: 1 }])
    })
  )
})
