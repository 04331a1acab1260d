/**
 * Who the bot is, by which it knows its name among the mentions of a group. Asked beside the bootstrap and kept from then on.
 * Not knowing it keeps no link down: until an answer comes, a mention of any bot is taken for its own.
 */
import type { Scope } from "effect"
import { Effect, Option, Schedule } from "effect"
import type { Rest } from "./rest.ts"

export interface Identity {
  /** Null until it was learnt. */
  readonly botId: () => string | null
  /** One try, unless it is known; never fails, and never holds a connection up for long. */
  readonly learn: Effect.Effect<void>
  /** Asks on while the link lives, unless it is known. */
  readonly keepAsking: Effect.Effect<void, never, Scope.Scope>
}

const patience = "5 seconds"
const again = Schedule.spaced("1 minute")

export const makeIdentity = (rest: Rest): Identity => {
  let known: string | null = null
  const ask = Effect.map(rest.botId, (id) => {
    known = id
  })
  const unlessKnown = <R>(effect: Effect.Effect<void, never, R>) =>
    Effect.suspend(() => (known === null ? effect : Effect.void))

  return {
    botId: () => known,
    learn: unlessKnown(ask.pipe(Effect.option, Effect.timeoutOption(patience), Effect.map(Option.asVoid))),
    keepAsking: unlessKnown(
      Effect.logWarning("the bot's own id is not known yet; a mention of any bot counts as its own").pipe(
        Effect.andThen(Effect.retry(ask, again)),
        // The schedule has no end.
        Effect.orDie,
        Effect.forkScoped,
        Effect.asVoid
      )
    )
  }
}
