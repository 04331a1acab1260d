/** What a far end answers next, in place of what it would answer by itself: first what was lined up, then what stands. */
import { Effect } from "effect"

export interface Script<A> {
  /** Lines up answers, one a request. */
  readonly next: (...answers: ReadonlyArray<A>) => Effect.Effect<void>
  /** From now on, once nothing is lined up; null: the far end decides for itself again. */
  readonly always: (answer: A | null) => Effect.Effect<void>
  /** The answer to the request at hand; null where the far end decides for itself. */
  readonly take: Effect.Effect<A | null>
}

export const makeScript = <A>(): Script<A> => {
  const lined: Array<A> = []
  let standing: A | null = null
  return {
    next: (...answers) => Effect.sync(() => void lined.push(...answers)),
    always: (answer) =>
      Effect.sync(() => {
        standing = answer
      }),
    take: Effect.sync(() => lined.shift() ?? standing)
  }
}
