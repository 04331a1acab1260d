/** Drops what is older than the settings keep, in small steps, so that no one waits for it. */
import { Clock, Duration, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { Roster } from "./Roster.ts"
import { Sessions } from "./Sessions.ts"
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

export interface PrunerOptions {
  readonly keep: Keep
  /** `outbox.expire`. */
  readonly expire: Duration.Duration
}

export const layer = ({
  keep,
  expire
}: PrunerOptions): Layer.Layer<never, never, InboxStore | OutboxStore | JobStore | Sessions | Roster | Supervision> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore
      const jobs = yield* JobStore
      const sessions = yield* Sessions
      const roster = yield* Roster

      const prune = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const before = (age: Duration.Duration) => now - Duration.toMillis(age)
        yield* inSteps(inbox.prune(now, before(keep.messages)))
        yield* inSteps(outbox.prune(before(keep.history)))
        yield* inSteps(jobs.prune(before(keep.runs)))
      })

      /** A platform's lanes let its own messages expire; one that is not attached has none. */
      const expireUnserved = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const found = yield* outbox.unserved(roster.ids(), now - Duration.toMillis(expire))
        for (const { seq, platform } of found) {
          yield* outbox.bury(seq, `expired: no platform "${platform}" was attached (outbox.expire)`, now)
        }
        return found.length > 0
      })

      /** Nobody wakes the sessions of a platform that is not attached; a job's turn among them would hold up its job. */
      const wakeUnserved = Effect.gen(function* () {
        const served = roster.ids()
        const waiting = yield* inbox.waiting
        const unserved = waiting.filter((session) => !served.some((id) => session.startsWith(`${id}:`)))
        yield* Effect.forEach(unserved, sessions.wake, { discard: true })
      })

      const told = Effect.catch((error: StoreError) =>
        // What is left is dropped the next time; a store in trouble is told of by those that need it.
        Effect.logWarning("not pruned").pipe(Effect.annotateLogs({ error: error.message }))
      )

      yield* supervise("pruner", { progressWithin, past: "exit" })((progress) =>
        Effect.gen(function* () {
          while (true) {
            yield* progress(progressWithin)
            yield* told(prune)
            yield* Effect.sleep(every)
            // Not at the start: platforms are still being attached then.
            yield* told(Effect.andThen(inSteps(expireUnserved), wakeUnserved))
          }
        })
      )
    })
  )

const inSteps = (step: Effect.Effect<boolean, StoreError>): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    while (yield* step) yield* Effect.sleep(breath)
  })
