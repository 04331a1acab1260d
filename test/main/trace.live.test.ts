/** "Why did the bot not reply?", asked of a gateway that runs, and of none. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"
import { command, feishuOf, gateway, place, until } from "../service.ts"

const access = { access: { direct: "open", group: "mention" } }

describe("evergate trace", () => {
  it.live("F226: says of a refused message why, and of an answered one what was sent, by whichever id", () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make()
      const here = yield* place({ platforms: [feishuOf(peer, access)] })
      const running = yield* gateway(here)
      yield* running.line("connected", { platform: "feishu" })
      const refused = yield* peer.say({ text: "to nobody", chatType: "group" })
      const answered = yield* peer.say({ text: "to the bot", chatType: "p2p" })
      yield* Effect.andThen(refused.acknowledged, answered.acknowledged)
      yield* running.statusWhere(({ outbox }) => outbox.delivered === 1)
      const refusal = yield* running.line("refused", { message: refused.messageId })

      const why = yield* command(here, ["trace", refused.messageId])
      const said = yield* command(here, ["trace", answered.eventId, "--json"])
      const trace = JSON.parse(said.out)
      const again = yield* command(here, ["trace", trace.messages[0].replies[0].messageId, "--json"])

      assert.strictEqual(refusal["reason"], "bot not mentioned")
      assert.deepStrictEqual([why.code, said.code], [0, 0])
      assert.match(why.out, /^Not answered: feishu refused it, "bot not mentioned"\. .*`access\.group: mention`/)
      assert.match(trace.answer, /^The answer was delivered: 1 message/)
      assert.containSubset(trace.messages, [{ messageId: answered.messageId, attempts: 1, outcome: "ok", copies: 0 }])
      assert.isNotNull(trace.messages[0].linkSince)
      assert.deepStrictEqual(JSON.parse(again.out).messages, trace.messages)
    })
  )

  it.live("of what nobody knows is 1 with what that means, and 69 where nobody is there to ask", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const running = yield* gateway(here)
      const unheardOf = yield* command(here, ["trace", "om/../%zz"])
      yield* until(running.get("/readyz"), ({ status }) => status === 200)
      yield* running.stop()
      const nobody = yield* command(here, ["trace", "om_1"])

      assert.deepStrictEqual([unheardOf.code, nobody.code], [1, 69])
      assert.match(unheardOf.err, /nothing is known of "om\/\.\.\/%zz"; it never reached the gateway, or is older/)
      assert.match(nobody.err, /nobody answers at .*; `evergate status` tells whether it runs/)
    })
  )
})
