/** The gateway as it is, with one Feishu account and a database on disk; its agent holds every turn, or echoes. */
import { Duration, Effect, Layer, Logger, Redacted, Stream } from "effect"
import { Agent } from "../src/agents/Agent.ts"
import * as Echo from "../src/agents/echo.ts"
import { PlatformId } from "../src/domain/Address.ts"
import * as LinkSettings from "../src/domain/LinkSettings.ts"
import * as Egress from "../src/layers/Egress.ts"
import * as Gateway from "../src/layers/Gateway.ts"
import * as Store from "../src/layers/Store.ts"
import { PlatformHost } from "../src/platforms/Platform.ts"
import * as Feishu from "../src/platforms/feishu/Feishu.ts"

const [base = "", mode = "hold", database = ""] = process.argv.slice(2)

const holding = Layer.succeed(Agent, Agent.of({ turn: () => Stream.never }))

/** The account's own pace is not what is measured here. */
const unpaced = Layer.effectDiscard(
  Effect.gen(function* () {
    const host = yield* PlatformHost
    const platform = yield* Feishu.make({
      id: PlatformId.make("feishu"),
      appId: "cli_0123456789abcdef",
      appSecret: Redacted.make("the secret"),
      domain: base,
      access: { direct: "open", group: "all", allow: [], deny: [] },
      link: LinkSettings.defaults
    })
    yield* host.attach({ ...platform, capabilities: { ...platform.capabilities, accountRates: [], chatRates: [] } })
  })
)

const service = unpaced.pipe(
  Layer.provide(Gateway.layer({ drain: Duration.zero })),
  Layer.provide(mode === "hold" ? holding : Echo.layer),
  Layer.provide(Store.layerSqlite({ filename: database })),
  Layer.provide(Egress.layer({ proxy: "none" })),
  Layer.provide(Logger.layer([]))
)

process.on("message", (what) => {
  if (what !== "memory") return
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.({ heap: process.memoryUsage().heapUsed })
})
process.on("disconnect", () => process.exit(0))
Effect.runFork(Layer.launch(service))
