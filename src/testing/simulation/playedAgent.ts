/** The agent of a simulation: it answers, late, in parts, not at all, or fails; and it sees whether turns come as promised. */
import { Duration, Effect, Layer, Stream } from "effect"
import { Agent } from "../../agents/Agent.ts"
import { AgentError } from "../../domain/Errors.ts"
import type { Turn } from "../../domain/Turn.ts"
import type { Chance } from "./chance.ts"
import type { Surroundings } from "./witness.ts"

/** What turns may meet. */
export interface Mood {
  slow: boolean
  failing: boolean
}

export interface PlayedAgent {
  readonly mood: Mood
  /** The service, for one life. */
  readonly layer: () => Layer.Layer<Agent>
  /** The texts that the last attempt of a turn answered; null where it failed, undefined where there was none. */
  readonly answered: (turn: string) => ReadonlyArray<string> | null | undefined
}

const longestMillis = 90_000

export const makePlayedAgent = (chance: Chance, { book, store }: Surroundings): PlayedAgent => {
  const mood: Mood = { slow: false, failing: false }
  const answered = new Map<string, ReadonlyArray<string> | null>()
  const newest = new Map<string, number>()

  /** A session's turns come in the order of acceptance; one that was cut comes again first. */
  const inOrder = ({ session, turn }: Turn) => {
    const seq = store.rows.entryOfTurn(turn)?.seq ?? 0
    const before = newest.get(session) ?? 0
    if (seq < before) book.violate("turns in order", `${session}: entry ${seq} after ${before}`)
    newest.set(session, seq)
  }
  const answer = Effect.fnUntraced(function* (turn: Turn) {
    answered.set(turn.turn, null)
    if (mood.slow && chance.happens(0.5)) yield* Effect.sleep(Duration.millis(chance.between(1, longestMillis)))
    if (mood.failing && chance.happens(0.3)) return yield* failure(chance)
    const texts = textsOf(turn, chance)
    answered.set(turn.turn, texts)
    return texts.map((text) => ({ text }))
  })

  const layer = () => {
    const running = new Set<string>()
    const turn = (turn: Turn) => {
      const { session } = turn
      const enter = Effect.sync(() => {
        if (running.has(session)) book.violate("one turn at a time", session)
        running.add(session)
        inOrder(turn)
      })
      const replies = Effect.acquireUseRelease(
        enter,
        () => answer(turn),
        () => Effect.sync(() => running.delete(session))
      )
      return Stream.flatMap(Stream.fromEffect(replies), Stream.fromIterable)
    }
    return Layer.succeed(Agent, Agent.of({ turn }))
  }
  return { mood, layer, answered: (turn) => answered.get(turn) }
}

const failure = (chance: Chance): Effect.Effect<never, AgentError> =>
  chance.pick([
    Effect.fail(new AgentError({ detail: "no answer today" })),
    Effect.die(new Error("a bug in the agent")),
    // Until the turn's time is over.
    Effect.never
  ])

const textsOf = ({ messages }: Turn, chance: Chance): ReadonlyArray<string> => {
  const text = `re ${messages[0]?.text ?? ""}`
  if (chance.happens(0.05)) return []
  return chance.happens(0.1) ? [text, `${text}, and more`] : [text]
}
