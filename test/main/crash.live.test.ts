/** kill -9 while an agent is at work: what was acknowledged is answered after the next start, and once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { hang } from "../../src/testing/HttpAnswer.ts"
import type { Received } from "../agentServer.ts"
import { agentServer, says } from "../agentServer.ts"
import { feishuOf, gateway, linesOf, place, until } from "../service.ts"

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

  it.live("F087: a job that a stop cut is one run: the next start ends it, and does not run it again", () =>
    Effect.gen(function* () {
      const agent = yield* agentServer(({ attempt }) => Effect.succeed(attempt === 1 ? hang : says("the summary")))
      const job = { id: "daily", schedule: "@daily", deliverTo: "local:me", prompt: "summarise" }
      const platforms = [{ id: "local", kind: "local", access }]
      const settings = { agent: { kind: "http", url: agent.url }, platforms, cron: [job], shutdown: { drain: "0s" } }
      const here = yield* place(settings)
      const first = yield* gateway(here)
      yield* first.post("/api/cron/daily/run")
      yield* until(agent.turns, (turns) => turns.length === 1)
      yield* first.stop()

      const second = yield* gateway(here)
      yield* until(second.get("/api/chat"), ({ text }) => text.includes("the summary"))
      const runs = yield* until(second.get("/api/cron/daily/runs"), ({ text }) => text.includes("delivered"))

      assert.containSubset(runs.json, [{ outcome: "ok", delivery: "delivered" }])
      assert.lengthOf(runs.text.match(/"job":/g) ?? [], 1)
      assert.deepStrictEqual(
        (yield* agent.turns).map(({ attempt, turn }) => [attempt, turn]),
        (yield* agent.turns).slice(0, 1).flatMap(({ turn }) => [
          [1, turn],
          [2, turn]
        ])
      )
    })
  )

  it.live(
    "F081: a message that meets the drain is left for the next start, unacknowledged or kept, and never lost",
    () =>
      Effect.gen(function* () {
        const peer = yield* FeishuPeer.make({
          ackWithin: "200 millis",
          redeliver: Array.from({ length: 60 }, () => "200 millis" as const)
        })
        const agent = yield* agentServer(({ attempt, text }) =>
          Effect.succeed(text === "long" && attempt === 1 ? hang : says(text))
        )
        const settings = {
          agent: { kind: "http", url: agent.url },
          platforms: [feishuOf(peer, { access })],
          shutdown: { drain: "1s" }
        }
        const here = yield* place(settings)
        const first = yield* gateway(here)
        yield* first.line("connected", { platform: "feishu" })
        yield* peer.say({ text: "long" })
        yield* until(agent.turns, (turns) => turns.length === 1)

        yield* first.kill("SIGTERM")
        yield* first.line("stopping")
        yield* peer.say({ text: "late" })
        const { code, out } = yield* first.ended
        const second = yield* gateway(here)
        const sent = yield* until(peer.exchange.ledger, (sent) => sent.length === 2)
        yield* second.stop()

        assert.strictEqual(code, 0)
        assert.deepStrictEqual(
          linesOf(out)
            .filter(({ level }) => level !== "INFO")
            .map(({ event }) => event),
          ["drain ran out"]
        )
        assert.deepStrictEqual(
          sent.map(({ text }) => text),
          ["long", "late"]
        )
        assert.deepStrictEqual(
          (yield* agent.turns).map(({ text, attempt }) => [text, attempt]),
          [
            ["long", 1],
            ["long", 2],
            ["late", 1]
          ]
        )
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
