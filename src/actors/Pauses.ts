/**
 * Notices that time went by without us: the machine slept, the process was stopped, or the wall clock was moved. Timers
 * are not trusted after that: links are probed at once and counts of downtime start anew. Cron looks for itself. So are
 * links probed when the machine is on another network, where whatever was connected before may be dead and nobody says so.
 */
import { Clock, Context, Deferred, Duration, Effect, Layer } from "effect"
import { monotonicMillis } from "../domain/monotonic.ts"
import { NetworkView } from "./NetworkView.ts"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"

export interface Pause {
  /**
   * `clock`: the wall clock went on or was moved by more than the elapsed time; `stopped`: our own timers stood; `network`: no
   * time went by, but the machine's addresses or its way out are others.
   */
  readonly kind: "clock" | "stopped" | "network"
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
    /** The same for pauses in which time went by. */
    readonly nextOfTime: Effect.Effect<Pause>
  }
>()("evergate/actors/Pauses") {
  static readonly layer: Layer.Layer<Pauses, never, Supervision> = Layer.effect(
    Pauses,
    Effect.gen(function* () {
      const network = yield* NetworkView
      let coming = yield* Deferred.make<Pause>()

      const announce = Effect.fnUntraced(function* (pause: Pause, place: string | null) {
        const waiting = coming
        coming = yield* Deferred.make<Pause>()
        yield* tell(pause, place)
        yield* Deferred.succeed(waiting, pause)
      })

      yield* supervise("pauses", { progressWithin: Duration.seconds(30), past: "exit" })((progress) =>
        Effect.gen(function* () {
          let wall = yield* Clock.currentTimeMillis
          let elapsed = yield* monotonicMillis
          let place = yield* network.read
          while (true) {
            yield* Effect.sleep(period)
            yield* progress(Duration.seconds(30))
            const wallNow = yield* Clock.currentTimeMillis
            const elapsedNow = yield* monotonicMillis
            const placeNow = yield* network.read
            const pause = judge(wallNow - wall, elapsedNow - elapsed) ?? (placeNow === place ? null : networkChanged)
            wall = wallNow
            elapsed = elapsedNow
            place = placeNow
            if (pause !== null) yield* announce(pause, place)
          }
        })
      )

      const next = Effect.suspend(() => Deferred.await(coming))
      return Pauses.of({ next, nextOfTime: Effect.repeat(next, { until: ({ kind }) => kind !== "network" }) })
    })
  )
}

const networkChanged: Pause = { kind: "network", millis: 0 }

const tell = ({ kind, millis }: Pause, place: string | null) =>
  kind === "network"
    ? Effect.annotateLogs(Effect.logInfo("the network changed; every link is probed"), {
        network: (place ?? "").replaceAll("\n", ", ") || "none"
      })
    : Effect.annotateLogs(Effect.logInfo("paused"), {
        kind,
        for: Duration.format(Duration.millis(Math.round(millis)))
      })

/** From what both clocks say went by since the last look, a period ago; null when nothing did but the period. */
export const judge = (wallMillis: number, elapsedMillis: number): Pause | null => {
  const late = elapsedMillis - Duration.toMillis(period)
  const moved = wallMillis - elapsedMillis
  if (Math.abs(moved) > noiseMillis) return { kind: "clock", millis: moved }
  return late > noiseMillis ? { kind: "stopped", millis: late } : null
}
