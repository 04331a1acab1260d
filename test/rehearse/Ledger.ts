/** Who said what to the bot, what of it was accepted, and what was answered: the peer's own books, put together. */
import type { Scope } from "effect"
import { Effect } from "effect"
import type { FeishuPeer } from "../../src/testing/feishu/FeishuPeer.ts"
import { until } from "../service.ts"
import type { Report } from "./Report.ts"

export interface Ledger {
  /** Says something in a chat of a person; the text is its name, so no two are the same. */
  readonly say: (text: string, chat?: string) => Effect.Effect<void>
  readonly accepted: Effect.Effect<number>
  readonly answered: Effect.Effect<number>
  /** Waits until everything that was said has been answered and acknowledged, what was delivered again included. */
  readonly settled: Effect.Effect<void>
  /** What must be so in the end: all accepted, all answered, each once, and nothing else said. */
  readonly judge: (report: Report) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (peer: FeishuPeer): Effect.fn.Return<Ledger, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const said = new Set<string>()
  const accepted = new Set<string>()
  const answers = Effect.map(peer.exchange.ledger, (sent) => sent.map(({ text }) => text))
  const answered = Effect.map(answers, (texts) => new Set(texts).size)

  return {
    say: (text, chat = "oc_rehearsal") =>
      Effect.gen(function* () {
        said.add(text)
        const { acknowledged } = yield* peer.say({ text, chat, sender: `ou_${chat}` })
        yield* acknowledged.pipe(Effect.andThen(Effect.sync(() => accepted.add(text))), Effect.forkIn(scope))
      }),
    accepted: Effect.sync(() => accepted.size),
    answered,
    settled: Effect.asVoid(until(answered, (count) => Math.min(count, accepted.size) >= said.size, "60 seconds")),
    judge: (report) =>
      Effect.gen(function* () {
        const texts = yield* answers
        const lost = Array.from(accepted).filter((text) => !texts.includes(text))
        const doubled = texts.filter((text, index) => texts.indexOf(text) !== index)
        const strange = texts.filter((text) => !said.has(text))
        const found = `sent ${said.size}, accepted ${accepted.size}, answered ${new Set(texts).size}, lost ${lost.length}, doubled ${doubled.length}, unasked ${strange.length}`
        const isRight = accepted.size === said.size && texts.length === said.size && lost.length + strange.length === 0
        yield* report.check("ledger", isRight, found)
      })
  }
})
