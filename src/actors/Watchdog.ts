/**
 * Sees what no part can say of itself: that the event loop stands, by a guard outside of it, or that a long-lived part makes
 * no progress. Both are counted in looks, so that time in which the machine slept or the process was stopped is no stall.
 */
import { Context, Deferred, Duration, Effect, Layer, Schema } from "effect"
import type { Scope } from "effect"
import { supervise } from "./supervise.ts"
import type { Part } from "./Part.ts"
import { Supervision } from "./Supervision.ts"

/** A part missed its own deadline, and then made no progress for `watchdog.stall`; the process has to end with 70. */
export class Stood extends Schema.TaggedError<Stood>()("Stood", { part: Schema.String, stall: Schema.String }) {
  override get message() {
    return `${this.part} stands: it missed its own deadline and made no progress for ${this.stall} more (watchdog.stall)`
  }
}

/** Whoever watches the event loop from outside. */
export interface Guard<E> {
  /** How often it is to be told. */
  readonly every: Duration.Duration
  /** "The event loop turns." */
  readonly beat: Effect.Effect<void>
  /** Never succeeds: fails when the guard itself has ended. */
  readonly ended: Effect.Effect<never, E>
}

export interface WatchdogOptions<E> {
  readonly stall: Duration.Duration
  readonly guard: Effect.Effect<Guard<E>, never, Scope.Scope>
}

export class Watchdog extends Context.Service<
  Watchdog,
  {
    /** Never returns: fails when a part stands. */
    readonly stood: Effect.Effect<never, Stood>
  }
>()("evergate/actors/Watchdog") {
  static readonly layer = <E>({ guard, stall }: WatchdogOptions<E>): Layer.Layer<Watchdog, never, Supervision> =>
    Layer.effect(
      Watchdog,
      Effect.gen(function* () {
        const supervision = yield* Supervision
        const end = yield* Deferred.make<never, Stood>()

        yield* supervise("watchdog", { progressWithin, past: "exit" })((progress) =>
          Effect.gen(function* () {
            const { beat, ended, every } = yield* guard
            const count = standing(Math.ceil(Duration.toMillis(stall) / Duration.toMillis(every)))
            const look = Effect.gen(function* () {
              yield* beat
              yield* progress(Duration.sum(every, progressWithin))
              const part = count(yield* supervision.parts)
              if (part !== null) yield* Deferred.fail(end, new Stood({ part, stall: Duration.format(stall) }))
            })
            return yield* Effect.raceFirst(ended, Effect.forever(Effect.andThen(look, Effect.sleep(every))))
          }).pipe(Effect.scoped)
        )
        return Watchdog.of({ stood: Deferred.await(end) })
      })
    )
}

const progressWithin = Duration.seconds(30)

/** Names the part that was over one and the same deadline in this many looks, one after the other. */
export const standing = (looks: number) => {
  let before: ReadonlyMap<string, { readonly overdueMillis: number; readonly looks: number }> = new Map()
  return (parts: ReadonlyArray<Part>): string | null => {
    const now = new Map<string, { readonly overdueMillis: number; readonly looks: number }>()
    for (const { name, overdueMillis, startedAt } of parts) {
      if (overdueMillis === null) continue
      const key = `${name} ${startedAt}`
      const last = before.get(key)
      // It grows as long as no stamp comes in between.
      const seen = last !== undefined && overdueMillis > last.overdueMillis ? last.looks + 1 : 1
      if (seen >= looks) return name
      now.set(key, { overdueMillis, looks: seen })
    }
    before = now
    return null
  }
}
