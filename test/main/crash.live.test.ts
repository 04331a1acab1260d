/** kill -9 while an agent is at work: what was acknowledged is answered after the next start, and once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { hang } from "../../src/testing/HttpAnswer.ts"
import type { Received } from "../agentServer.ts"
import { agentServer, says } from "../agentServer.ts"
import { feishuOf, gateway, place, until } from "../service.ts"

const secret = "a secret between the two"
const access = { direct: "open" }

/** The contract's signature, worked out by hand. */
const isSigned = ({ asked }: Received): boolean => {
  const given = asked.headers["evergate-signature"] ?? ""
  const [, time = ""] = /^t=(\d+),v1=/.exec(given) ?? []
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 60
  return (
    isFresh && given === `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${asked.body}`).digest("hex")}`
  )
}

describe.concurrent("after kill -9", () => {
  it.live("F080: the turn that was cut is run again with its id and the next attempt, and answered once", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const agent = yield* agentServer(({ attempt, text }) =>
        Effect.succeed(attempt === 1 ? hang : says(`you said ${text}`))
      )
      const here = yield* place({
        agent: { kind: "http", url: agent.url, secret },
        platforms: [feishuOf(peer, { access })]
      })
      const first = yield* gateway(here)
      yield* first.line("connected", { platform: "feishu" })
      const said = yield* peer.say({ text: "喂", chat: "oc_1" })
      yield* said.acknowledged
      yield* until(agent.turns, (turns) => turns.length === 1)

      yield* first.kill("SIGKILL")
      yield* first.ended
      const second = yield* gateway(here)
      yield* until(peer.exchange.ledger, (sent) => sent.length > 0)
      const { code } = yield* second.stop()

      const turns = yield* agent.turns
      assert.deepStrictEqual(
        turns.map(({ attempt }) => attempt),
        [1, 2]
      )
      assert.strictEqual(turns[0]?.turn, turns[1]?.turn)
      assert.deepStrictEqual(turns.map(isSigned), [true, true])
      assert.deepStrictEqual(
        turns.map(({ asked: { headers } }) => [headers["evergate-turn"], headers["evergate-attempt"]]),
        [
          [turns[0]?.turn, "1"],
          [turns[0]?.turn, "2"]
        ]
      )
      assert.deepStrictEqual(
        (yield* peer.exchange.ledger).map(({ text, replyTo }) => [text, replyTo]),
        [["you said 喂", said.messageId]]
      )
      assert.strictEqual(code, 0)
    })
  )

  it.live(
    "F129: of 500 events at once, met by an agent that hangs, each is answered exactly once",
    () =>
      Effect.gen(function* () {
        const peer = yield* FeishuPeer.make({
          ackWithin: "500 millis",
          redeliver: Array.from({ length: 20 }, () => "500 millis" as const)
        })
        let isStuck = true
        const agent = yield* agentServer(({ text }) => Effect.sync(() => (isStuck ? hang : says(text))))
        const here = yield* place({ agent: { kind: "http", url: agent.url }, platforms: [feishuOf(peer, { access })] })
        const first = yield* gateway(here)
        yield* first.line("connected", { platform: "feishu" })
        const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`)

        yield* Effect.forEach(
          texts,
          (text, index) => peer.say({ text, chat: `oc_${index % 100}`, sender: `ou_${index % 100}` }),
          { discard: true }
        )
        // In the middle of it: some are kept, some are not.
        yield* until(agent.turns, (turns) => turns.length > 0)
        yield* first.kill("SIGKILL")
        yield* first.ended
        isStuck = false
        const second = yield* gateway(here)
        yield* until(peer.exchange.ledger, (sent) => sent.length >= texts.length, "30 seconds")
        const { inbox, outbox } = yield* second.status
        const { code } = yield* second.stop()

        assert.sameMembers(
          (yield* peer.exchange.ledger).map(({ text }) => text),
          texts
        )
        assert.deepStrictEqual([inbox.unprocessed, outbox.pending, outbox.dead, code], [0, 0, 0, 0])
      }),
    40_000
  )
})
