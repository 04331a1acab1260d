/** What is done to a link in a demonstration of faults, one after the other. */
import { Effect } from "effect"
import type { FeishuPeer } from "./feishu/FeishuPeer.ts"
import { failure } from "./feishu/routes.ts"

export interface Act {
  readonly what: string
  readonly begin: (peer: FeishuPeer) => Effect.Effect<void>
  /** Ends it after a while; absent: it is over as it happens. */
  readonly release?: (peer: FeishuPeer) => Effect.Effect<void>
}

export const acts: ReadonlyArray<Act> = [
  { what: "killed: a reset, without a close frame", begin: ({ relay }) => relay.cut },
  {
    what: "frozen: half-open, every byte vanishes and nobody is told",
    begin: ({ relay }) => relay.swallow(true),
    release: ({ relay }) => Effect.andThen(relay.swallow(false), relay.cut)
  },
  {
    what: "refused: killed, and the login service says that it is busy",
    begin: ({ exchange, relay }) => Effect.andThen(exchange.endpoint.always(failure(1, "busy")), relay.cut),
    release: ({ exchange }) => exchange.endpoint.always(null)
  },
  {
    what: "closed by the platform with 1011",
    begin: ({ lines }) =>
      Effect.flatMap(lines, (all) =>
        Effect.forEach(all, (line) => line.close(1011, "internal error"), { discard: true })
      )
  },
  {
    what: "shut out: killed, and every upgrade is answered with 503",
    begin: ({ relay, upgrades }) => Effect.andThen(upgrades.always({ _tag: "Refuse", status: 503 }), relay.cut),
    release: ({ upgrades }) => upgrades.always(null)
  }
]
