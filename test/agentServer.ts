/** An agent elsewhere: an HTTP server that gets turns, remembers what came, and answers as a test says. */
import type { Scope } from "effect"
import { Effect } from "effect"
import type { HttpAnswer, HttpAsked } from "../src/testing/HttpAnswer.ts"
import { json } from "../src/testing/HttpAnswer.ts"
import { serve } from "../src/testing/Peer.ts"

/** A turn as it arrived. */
export interface Received {
  readonly turn: string
  readonly attempt: number
  readonly text: string
  readonly asked: HttpAsked
}

export interface AgentServer {
  readonly url: string
  /** In the order in which they came. */
  readonly turns: Effect.Effect<ReadonlyArray<Received>>
}

export const says = (text: string): HttpAnswer => json({ text })

export const agentServer = Effect.fnUntraced(function* (
  answer: (turn: Received) => Effect.Effect<HttpAnswer>
): Effect.fn.Return<AgentServer, never, Scope.Scope> {
  const turns: Array<Received> = []
  const port = yield* serve({
    http: (asked) => {
      const received = read(asked)
      turns.push(received)
      return answer(received)
    },
    upgrade: Effect.succeed({ _tag: "Refuse", status: 400 }),
    socket: () => Effect.succeed({ receive: () => Effect.void, gone: Effect.void })
  })
  return { url: `http://127.0.0.1:${port}/turn`, turns: Effect.sync(() => Array.from(turns)) }
})

const read = (asked: HttpAsked): Received => {
  // What the gateway sends is the contract's object; the agent's own tests show it.
  const { turn, attempt, messages } = JSON.parse(asked.body) as {
    readonly turn: string
    readonly attempt: number
    readonly messages: ReadonlyArray<{ readonly text: string }>
  }
  return { turn, attempt, text: messages[0]?.text ?? "", asked }
}
