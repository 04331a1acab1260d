/** Whoever is to know, elsewhere: an HTTP server that takes alarms and heartbeats, and remembers them. */
import type { Scope } from "effect"
import { Effect } from "effect"
import type { HttpAsked } from "../src/testing/HttpAnswer.ts"
import { json } from "../src/testing/HttpAnswer.ts"
import { serve } from "../src/testing/Peer.ts"

export interface OpsServer {
  readonly url: string
  /** What came on this path, oldest first. */
  readonly asked: (path: string) => Effect.Effect<ReadonlyArray<HttpAsked>>
}

export const opsServer: Effect.Effect<OpsServer, never, Scope.Scope> = Effect.gen(function* () {
  const all: Array<HttpAsked> = []
  const port = yield* serve({
    http: (asked) => Effect.sync(() => (all.push(asked), json({}))),
    upgrade: Effect.succeed({ _tag: "Refuse", status: 400 }),
    socket: () => Effect.succeed({ receive: () => Effect.void, gone: Effect.void })
  })
  const asked = (path: string) => Effect.sync(() => all.filter((asked) => asked.path === path))
  return { url: `http://127.0.0.1:${port}`, asked }
})
