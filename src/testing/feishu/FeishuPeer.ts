/**
 * Feishu on loopback, for real sockets and other processes: the same far end as in memory, behind a server and a relay that
 * can swallow. The official SDK connects to it, so it is known to speak the protocol.
 */
import type { Scope } from "effect"
import { Effect } from "effect"
import type { Relay } from "../Peer.ts"
import { relay, serve } from "../Peer.ts"
import type { FakeFeishu } from "./FakeFeishu.ts"
import * as Fake from "./FakeFeishu.ts"
import type { Options } from "./options.ts"

export interface FeishuPeer extends FakeFeishu {
  /** What an adapter's `domain` is set to. */
  readonly url: string
  /** Everything, REST and sockets, passes it. */
  readonly relay: Relay
}

export const make = Effect.fnUntraced(function* (
  options: Partial<Options> = {}
): Effect.fn.Return<FeishuPeer, never, Scope.Scope> {
  // The address of sockets is known only once the server listens, and is asked for only afterwards.
  let socket = ""
  const fake = yield* Fake.make(options, { socket: () => socket })
  const port = yield* serve({
    http: fake.exchange.answer,
    upgrade: fake.upgrades.take,
    socket: fake.attach
  })
  const relayed = yield* relay(port)
  socket = `ws://127.0.0.1:${relayed.port}/ws/v2`
  return { ...fake, url: `http://127.0.0.1:${relayed.port}`, relay: relayed }
})
