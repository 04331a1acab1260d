/**
 * The clock that never stops: its own fiber, which knows of no platform. Decides each occurrence of each job once.
 * **Ticker** → Inbox's rows, or the outbox's; a job or a store that fails stops neither the other jobs nor the ticker.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Queue, Semaphore } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Job, JobId, Run } from "../domain/Job.ts"
import type { SessionScope } from "../domain/Session.ts"
import type { StoredJob } from "../store/JobStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { runOf } from "../store/jobTable.ts"
import { decisionOf } from "./cronDecision.ts"
import * as Looks from "./cronLooks.ts"
import type { Feed } from "./Feed.ts"
import type { Outbox } from "./Outbox.ts"
import type { Sessions } from "./Sessions.ts"
import { supervise } from "./supervise.ts"
import type { Progress, Supervision } from "./Supervision.ts"

export interface JobStatus {
  readonly job: Job
  /** Unix milliseconds; null when there is none. */
  readonly next: number | null
  readonly last: Run | null
}

/** The wall clock may be set at any time, and a sleeping machine stops its timers: no wait is longer than this. */
const longestSleep = 5_000
const progressWithin = Duration.seconds(60)

export class Ticker extends Context.Service<
  Ticker,
  {
    readonly status: Effect.Effect<{
      readonly running: boolean
      readonly lastTickAt: number | null
      readonly jobs: ReadonlyArray<JobStatus>
    }>
    /** Runs a job now, by the same overlap rule; none when there is no such job. */
    readonly runNow: (id: JobId) => Effect.Effect<Option.Option<Run>, StoreError>
    /** The jobs in the store changed: read them again and work out what is next. */
    readonly refresh: Effect.Effect<void>
  }
>()("evergate/actors/Ticker") {
  /** `scope` is the inbox's, so that a prompt joins the session of its chat. */
  static readonly layer = (options: {
    readonly scope: SessionScope
  }): Layer.Layer<Ticker, never, JobStore | Sessions | Outbox | Feed | Supervision> =>
    Layer.effect(
      Ticker,
      Effect.gen(function* () {
        const store = yield* JobStore
        const looks = yield* Looks.make(options.scope)
        // A run by hand and a tick do not decide over each other's heads.
        const turnstile = yield* Semaphore.make(1)
        const changed = yield* Queue.sliding<void>(1)
        let running = false
        let lastTickAt: number | null = null
        let known: ReadonlyArray<StoredJob> = []

        const tick = Effect.gen(function* () {
          known = yield* looks.all
        }).pipe(
          turnstile.withPermits(1),
          Effect.catch((error) =>
            Effect.logError("cron waits for the store").pipe(Effect.annotateLogs({ error: error.message }))
          )
        )

        /** Until the next occurrence, and never long. */
        const rest = Effect.map(Clock.currentTimeMillis, (now) =>
          known.reduce((least, { job }) => Math.min(least, (looks.nextOf(job, now) ?? Infinity) - now), longestSleep)
        )

        const live = (progress: Progress) =>
          Effect.gen(function* () {
            running = true
            while (true) {
              yield* progress(progressWithin)
              yield* tick
              lastTickAt = yield* Clock.currentTimeMillis
              yield* Effect.timeoutOption(Queue.take(changed), Duration.millis(yield* rest))
            }
          }).pipe(Effect.ensuring(Effect.sync(() => (running = false))))

        yield* Effect.acquireRelease(Effect.logInfo("cron started"), () => Effect.logInfo("cron stopped"))
        yield* supervise("ticker", { progressWithin, past: "exit" })(live)

        return Ticker.of({
          status: Effect.gen(function* () {
            // A store that does not answer has lines of its own; the jobs are then those of the last tick.
            const jobs = yield* Effect.orElseSucceed(store.list, () => known)
            const now = yield* Clock.currentTimeMillis
            return {
              running,
              lastTickAt,
              jobs: jobs.map(({ job, last }) => ({ job, last, next: looks.nextOf(job, now) }))
            }
          }),
          runNow: (id) => turnstile.withPermits(1)(runNow(store, looks, id, options.scope)),
          refresh: Effect.asVoid(Queue.offer(changed, undefined))
        })
      })
    )
}

const runNow = Effect.fnUntraced(function* (
  store: JobStore["Service"],
  looks: Looks.Looks,
  id: JobId,
  scope: SessionScope
) {
  const stored = yield* store.find(id)
  if (Option.isNone(stored)) return Option.none<Run>()
  const { job } = stored.value
  // What was due before goes first, so that a run by hand passes over none of it.
  yield* looks.one(stored.value)
  const overlaps = yield* store.running(id)
  const now = yield* Clock.currentTimeMillis
  // An instant is decided once, so that a second run in the same millisecond takes the next one.
  for (let scheduledAt = now; ; scheduledAt++) {
    const due = { _tag: "Run", scheduledAt, lateMillis: 0 } as const
    const decision = yield* decisionOf(job, due, { overlaps, scope, now })
    const [fresh] = yield* looks.decide(job, [decision])
    if (fresh === true) return Option.some(runOf(decision))
  }
})
