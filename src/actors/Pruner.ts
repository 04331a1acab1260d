/** Drops what is older than the settings keep, in small steps, so that no one waits for it. */
import { Clock, Duration, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"

/** `keep` of the contract. */
export interface Keep {
  /** Of messages whose turn has ended. */
  readonly messages: Duration.Duration
  /** Of deliveries that have ended. */
  readonly history: Duration.Duration
  readonly runs: Duration.Duration
}

const every = Duration.minutes(10)
/** Between two steps others have their turn. */
const breath = Duration.millis(50)
const progressWithin = Duration.minutes(15)

export const layer = (keep: Keep): Layer.Layer<never, never, InboxStore | OutboxStore | JobStore | Supervision> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore
      const jobs = yield* JobStore

      const prune = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const before = (age: Duration.Duration) => now - Duration.toMillis(age)
        yield* inSteps(inbox.prune(now, before(keep.messages)))
        yield* inSteps(outbox.prune(before(keep.history)))
        yield* inSteps(jobs.prune(before(keep.runs)))
      })

      yield* supervise("pruner", { progressWithin, past: "exit" })((progress) =>
        Effect.gen(function* () {
          while (true) {
            yield* progress(progressWithin)
            yield* prune.pipe(
              // What is left is dropped the next time; a store in trouble is told of by those that need it.
              Effect.catch((error) =>
                Effect.logWarning("not pruned").pipe(Effect.annotateLogs({ error: error.message }))
              )
            )
            yield* Effect.sleep(every)
          }
        })
      )
    })
  )

const inSteps = (step: Effect.Effect<boolean, StoreError>): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    while (yield* step) yield* Effect.sleep(breath)
  })
