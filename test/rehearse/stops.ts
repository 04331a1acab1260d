/** A stop in each state in which nothing is connected: it ends with 0, in time, and no connection is opened after it began. */
import { Duration, Effect, Queue } from "effect"
import type { FeishuPeer } from "../../src/testing/feishu/FeishuPeer.ts"
import { hang, page } from "../../src/testing/HttpAnswer.ts"
import type { Gateway } from "../service.ts"
import { feishuOf, gateway, linesOf, place, until } from "../service.ts"
import type { Report } from "./Report.ts"
import { peer } from "./Stage.ts"

/** There is nothing to drain: what a process needs to end, and never what its link waits for. */
const bound = 2_000

const endpointPath = "/callback/ws/endpoint"

interface Stop {
  /** What the far end does. */
  readonly far: (far: FeishuPeer) => Effect.Effect<void>
  /** Returns when the gateway is where the stop is to meet it. */
  readonly met: (running: Gateway, far: FeishuPeer) => Effect.Effect<unknown>
}

const stopping = (stop: Stop) =>
  Effect.fnUntraced(function* (report: Report) {
    const far = yield* peer()
    yield* stop.far(far)
    const link = { retry: { base: "1m", max: "1m", jitter: "none", first: "1m" } }
    const running = yield* gateway(yield* place({ platforms: [feishuOf(far, { link })] }))
    yield* stop.met(running, far)
    yield* report.tell(running, "feishu")
    const before = yield* far.exchange.asked(endpointPath)

    const [took, { code, out }] = yield* Effect.timed(running.stop())
    yield* far.exchange.endpoint.always(null)
    yield* far.upgrades.always(null)
    yield* until(far.relay.inUse, (inUse) => !inUse)

    const after = yield* far.exchange.asked(endpointPath)
    const sockets = yield* Queue.size(far.connected)
    yield* report.check("exit status", code === 0, code)
    yield* report.atMost("ended", Duration.toMillis(took), bound)
    yield* report.check(
      "no connection afterwards",
      after === before && sockets === 0,
      `${after - before} requests, ${sockets} sockets`
    )
    const lines = linesOf(out).slice(linesOf(out).findIndex(({ event }) => event === "stopping"))
    const troubles = lines.filter(({ level }) => level !== "INFO")
    yield* report.check("the log of the stop", troubles.length === 0, lines.map(({ event }) => event).join(", "))
  }, Effect.scoped)

export const duringBackoff = stopping({
  far: (far) => far.exchange.endpoint.always(page(503, "later")),
  met: (running) => running.line("reconnecting", { platform: "feishu" })
})

export const duringBootstrap = stopping({
  far: (far) => far.exchange.endpoint.always(hang),
  met: (_, far) => until(far.exchange.asked(endpointPath), (asked) => asked === 1)
})

export const duringUpgrade = stopping({
  far: (far) => far.upgrades.always({ _tag: "Hang" }),
  met: (running, far) =>
    Effect.andThen(
      until(far.exchange.asked(endpointPath), (asked) => asked === 1),
      // The upgrade follows the answer to the bootstrap within milliseconds; nobody hears of it, for it hangs.
      Effect.andThen(Effect.sleep("500 millis"), running.line("connecting", { platform: "feishu" }))
    )
})
