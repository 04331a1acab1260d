/**
 * Notices that time went by without us: the machine slept, the process was stopped, or the wall clock was moved. Timers
 * are not trusted after that: links are probed at once and counts of downtime start anew. Cron looks for itself.
 */
import { Clock, Context, Deferred, Duration, Effect, Layer } from "effect"
import { monotonicMillis } from "../domain/monotonic.ts"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"

export interface Pause {
  /** `clock`: the wall clock went on or was moved by more than the elapsed time; `stopped`: our own timers stood. */
  readonly kind: "clock" | "stopped"
  readonly millis: number
}

const period = Duration.seconds(1)
/** Less than this is scheduling noise, or the slewing of a time daemon. */
const noiseMillis = 2_000

export class Pauses extends Context.Service<
  Pauses,
  {
    /** Waits for the next pause to be over. */
    readonly next: Effect.Effect<Pause>
  }
>()("evergate/actors/Pauses") {
  static readonly layer: Layer.Layer<Pauses, never, Supervision> = Layer.effect(
    Pauses,
    Effect.gen(function* () {
      let coming = yield* Deferred.make<Pause>()

      const announce = Effect.fnUntraced(function* (pause: Pause) {
        const waiting = coming
        coming = yield* Deferred.make<Pause>()
        yield* Effect.logInfo("paused").pipe(
          Effect.annotateLogs({ kind: pause.kind, for: Duration.format(Duration.millis(Math.round(pause.millis))) })
        )
        yield* Deferred.succeed(waiting, pause)
      })

      yield* supervise("pauses", { progressWithin: Duration.seconds(30), past: "exit" })((progress) =>
        Effect.gen(function* () {
          let wall = yield* Clock.currentTimeMillis
          let elapsed = yield* monotonicMillis
          while (true) {
            yield* Effect.sleep(period)
            yield* progress(Duration.seconds(30))
            const wallNow = yield* Clock.currentTimeMillis
            const elapsedNow = yield* monotonicMillis
            const pause = judge(wallNow - wall, elapsedNow - elapsed)
            wall = wallNow
            elapsed = elapsedNow
            if (pause !== null) yield* announce(pause)
          }
        })
      )

      return Pauses.of({ next: Effect.suspend(() => Deferred.await(coming)) })
    })
  )
}

/** From what both clocks say went by since the last look, a period ago; null when nothing did but the period. */
export const judge = (wallMillis: number, elapsedMillis: number): Pause | null => {
  const late = elapsedMillis - Duration.toMillis(period)
  const moved = wallMillis - elapsedMillis
  if (Math.abs(moved) > noiseMillis) return { kind: "clock", millis: moved }
  return late > noiseMillis ? { kind: "stopped", millis: late } : null
}
