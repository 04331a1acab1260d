/**
 * Parts that run side by side, each in a scope of its own: one is replaced or taken away while the others never notice. At
 * the end of the scope around them all of them end side by side.
 */
import { Effect, Exit, Fiber, Scope, Semaphore } from "effect"

export interface Part {
  /** As long as it is the same, the part that runs is the one that is wanted. */
  readonly fingerprint: string
  readonly start: Effect.Effect<void, never, Scope.Scope>
}

export type Wanted = ReadonlyMap<string, Part>

/** By name. */
export interface Changes {
  readonly started: ReadonlyArray<string>
  readonly stopped: ReadonlyArray<string>
  readonly replaced: ReadonlyArray<string>
}

export interface Parts {
  /** Says what is to be from now on, and gives what that changes. */
  readonly intend: (wanted: Wanted) => Changes
  /** Makes it so. What goes has ended before anything begins: two may be the same account under two names. */
  readonly settle: Effect.Effect<void>
}

interface Running {
  readonly fingerprint: string
  readonly scope: Scope.Closeable
}

export const make: Effect.Effect<Parts, never, Scope.Scope> = Effect.gen(function* () {
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const running = new Map<string, Running>()
  const turn = yield* Semaphore.make(1)
  let intended: Wanted = new Map()

  // A stop that has begun is a drain: whoever is told to end meanwhile waits for it.
  const stop = (name: string) =>
    Effect.suspend(() => {
      const part = running.get(name)
      running.delete(name)
      return part === undefined ? Effect.void : Effect.uninterruptible(Scope.close(part.scope, Exit.void))
    })

  const start = Effect.fnUntraced(function* (name: string, { fingerprint, start }: Part) {
    const own = yield* Scope.fork(scope)
    running.set(name, { fingerprint, scope: own })
    yield* Scope.provide(start, own)
  })

  const move = Effect.gen(function* () {
    const wanted = intended
    const isGone = ([name, { fingerprint }]: readonly [string, Running]) =>
      wanted.get(name)?.fingerprint !== fingerprint
    const gone = Array.from(running).filter(isGone)
    yield* Effect.forEach(gone, ([name]) => stop(name), { concurrency: "unbounded", discard: true })
    const missing = Array.from(wanted).filter(([name]) => !running.has(name))
    yield* Effect.forEach(missing, ([name, part]) => start(name, part), { concurrency: "unbounded", discard: true })
  })

  return {
    intend: (wanted) => {
      const changes = comparison(intended, wanted)
      intended = wanted
      return changes
    },
    // Whoever asks may be gone before it is done. In the scope of the parts, so that all drain side by side at the end.
    settle: Effect.flatMap(Effect.forkIn(turn.withPermit(move), scope), Fiber.join)
  }
})

const comparison = (before: Wanted, after: Wanted): Changes => {
  const [old, names] = [Array.from(before.keys()), Array.from(after.keys())]
  return {
    started: names.filter((name) => !before.has(name)),
    stopped: old.filter((name) => !after.has(name)),
    replaced: names.filter((name) => before.has(name) && before.get(name)?.fingerprint !== after.get(name)?.fingerprint)
  }
}
