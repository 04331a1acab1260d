/**
 * The one way to start something that lives: its end, of any kind, is logged; a crash is restarted within an intensity;
 * its progress is on record. A fiber that dies is seen by nobody else: Effect does not log it.
 */
import { Cause, Duration, Effect, Exit } from "effect"
import type { Scope } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import type { Intensity } from "../schedules/restart.ts"
import { intensity, restartDelay, slowRestart, withCrash } from "../schedules/restart.ts"
import type { Progress } from "./Supervision.ts"
import { GaveUp, Supervision } from "./Supervision.ts"

export interface SuperviseOptions {
  /** The first stamp of progress is due within this; the body says when each further one is. */
  readonly progressWithin: Duration.Duration
  /** Past its intensity: tried every 5 minutes (`slow`), or the process ends with 70 (`exit`). */
  readonly past: "slow" | "exit"
  /** Whose it is; absent of what belongs to no platform. */
  readonly platform?: PlatformId
  readonly intensity?: Intensity
}

/**
 * Starts the body in the scope and returns. The body's type says that it does not return by itself; one that does all the
 * same has crashed like one that failed. Closing the scope ends it without a word.
 */
export const supervise =
  (name: string, options: SuperviseOptions) =>
  <E, R>(
    body: (progress: Progress) => Effect.Effect<never, E, R>
  ): Effect.Effect<void, never, R | Scope.Scope | Supervision> =>
    Effect.gen(function* () {
      const supervision = yield* Supervision
      const entry = yield* supervision.register(name, options.platform)
      const limit = options.intensity ?? intensity

      const lives = Effect.gen(function* () {
        let crashes: ReadonlyArray<number> = []
        while (true) {
          yield* entry.progress(options.progressWithin)
          const startedAt = yield* monotonicMillis
          // An interruption from outside ends the loop here; everything else is an exit to judge.
          const exit = yield* Effect.exit(body(entry.progress))
          const detail = describe(exit)
          const now = yield* monotonicMillis
          crashes = withCrash(crashes, { at: now, livedMillis: now - startedAt }, limit)
          const delay = restartDelay(crashes, limit)
          yield* Effect.logError(`${name} ended`).pipe(Effect.annotateLogs({ cause: detail, crashes: crashes.length }))
          if (delay === null && options.past === "exit") {
            return yield* supervision.giveUp(new GaveUp({ part: name, detail }))
          }
          const wait = delay ?? slowRestart
          yield* entry.progress(Duration.sum(wait, options.progressWithin))
          yield* Effect.sleep(wait)
          yield* entry.restarted
        }
      })
      yield* Effect.forkScoped(lives)
    })

const describe = (exit: Exit.Exit<never, unknown>): string =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it returned, though it must not"
