/** Alarms of a real gateway, as they arrive elsewhere. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { opsServer } from "../opsServer.ts"
import { feishuOf, gateway, place, until } from "../service.ts"

describe.concurrent("alarms", () => {
  it.live(
    "a platform that is down is told by the webhook, and the dead man's switch is not pinged any more",
    () =>
      Effect.gen(function* () {
        const [ops, peer] = [yield* opsServer, yield* FeishuPeer.make()]
        yield* peer.upgrades.always({ _tag: "Refuse", status: 503 })
        const here = yield* place({
          platforms: [feishuOf(peer)],
          alarmAfter: "2s",
          proxy: "none",
          alarms: [
            { to: "feishu:oc_ops" },
            { webhook: `${ops.url}/hook?key=planted-secret` },
            { heartbeat: `${ops.url}/alive`, every: "1s" }
          ]
        })
        const running = yield* gateway(here)
        yield* until(ops.asked("/alive"), (pings) => pings.length > 0)

        yield* running.line("platform is down")
        const pings = (yield* ops.asked("/alive")).length
        const [alarm] = yield* until(ops.asked("/hook"), (alarms) => alarms.length > 0, "20 seconds")
        const later = (yield* ops.asked("/alive")).length
        const { outbox } = yield* running.status
        const { code, out } = yield* running.stop()

        const body: unknown = JSON.parse(alarm?.body ?? "")
        assert.containSubset(body, {
          well: false,
          cleared: [],
          raised: [{ key: "platform feishu", platform: "feishu" }]
        })
        assert.isAtMost(later - pings, 1)
        assert.strictEqual(outbox.pending, 0)
        assert.strictEqual(code, 0)
        assert.notInclude(out, "planted-secret")
      }),
    40_000
  )
})
