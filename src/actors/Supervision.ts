/**
 * Who lives, and whether it makes progress: the register behind `supervise`, `/livez` and the status. A part stamps its
 * progress together with the time by which the next stamp is due; one that misses it stands.
 */
import { Clock, Context, Deferred, Duration, Effect, Layer, Schema } from "effect"
import type { Scope } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import { monotonicMillis, monotonicMillisOf } from "../domain/monotonic.ts"
import type { Part, PartRecord } from "./Part.ts"
import { makePart, partOf } from "./Part.ts"

/** A long-lived part of the gateway crashed too often; the process has to end with 70. */
export class GaveUp extends Schema.TaggedError<GaveUp>()("GaveUp", { part: Schema.String, detail: Schema.String }) {
  override get message() {
    return `${this.part} crashed too often and was given up: ${this.detail}`
  }
}

/** "I am alive, and shall say so again within this time." */
export type Progress = (within: Duration.Duration) => Effect.Effect<void>

export interface Entry {
  readonly progress: Progress
  /** Another life of it begins. */
  readonly restarted: Effect.Effect<void>
}

/** Many of a kind under one name, each with a deadline of its own while it is at work. */
export interface Crew {
  readonly progress: (member: string, within: Duration.Duration) => Effect.Effect<void>
  /** It rests; nothing is expected of it. */
  readonly rest: (member: string) => Effect.Effect<void>
}

export class Supervision extends Context.Service<
  Supervision,
  {
    /** Enters a part until the scope closes. Its first stamp is due within a minute. */
    readonly register: (name: string, platform?: PlatformId) => Effect.Effect<Entry, never, Scope.Scope>
    /** Enters a crew until the scope closes; it stands as soon as one of its members does. */
    readonly registerCrew: (name: string, platform?: PlatformId) => Effect.Effect<Crew, never, Scope.Scope>
    readonly parts: Effect.Effect<ReadonlyArray<Part>>
    /** Never returns: fails when a part was given up. */
    readonly gaveUp: Effect.Effect<never, GaveUp>
    readonly giveUp: (error: GaveUp) => Effect.Effect<void>
    /** The gateway is told to stop; it drains until its scope has closed. */
    readonly beginStop: Effect.Effect<void>
    readonly isStopping: Effect.Effect<boolean>
  }
>()("evergate/actors/Supervision") {
  static readonly layer: Layer.Layer<Supervision> = Layer.effect(
    Supervision,
    Effect.gen(function* () {
      const records = new Set<PartRecord>()
      const end = yield* Deferred.make<never, GaveUp>()
      let isStopping = false

      const enter = Effect.fnUntraced(function* (name: string, platform: PlatformId | null) {
        const record = makePart(name, platform, yield* Clock.currentTimeMillis, yield* monotonicMillis)
        yield* Effect.acquireRelease(
          Effect.sync(() => records.add(record)),
          () => Effect.sync(() => records.delete(record))
        )
        return record
      })

      const register = Effect.fnUntraced(function* (name: string, platform: PlatformId | null = null) {
        const record = yield* enter(name, platform)
        const progress: Progress = Effect.fnUntraced(function* (within) {
          record.progressAt = yield* Clock.currentTimeMillis
          const dueAt = (yield* monotonicMillis) + Duration.toMillis(within)
          record.dueAt = () => dueAt
        })
        const restarted = Effect.map(Clock.currentTimeMillis, (now) => {
          record.restarts++
          record.startedAt = now
        })
        return { progress, restarted }
      })

      const registerCrew = Effect.fnUntraced(function* (name: string, platform: PlatformId | null = null) {
        const record = yield* enter(name, platform)
        const due = new Map<string, number>()
        record.working = () => due.size
        // Looked at when somebody asks, so that a stamp costs the same however many are at work.
        record.dueAt = () =>
          Array.from(due.values()).reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
        const crew: Crew = {
          // On every message's way, so one step: the clock's own readings in place of effects.
          progress: (member, within) =>
            Effect.clockWith((clock) => {
              record.progressAt = clock.currentTimeMillisUnsafe()
              due.set(member, monotonicMillisOf(clock) + Duration.toMillis(within))
              return Effect.void
            }),
          rest: (member) => Effect.sync(() => void due.delete(member))
        }
        return crew
      })

      const parts = Effect.map(monotonicMillis, (now) => Array.from(records, (record) => partOf(record, now)))

      return Supervision.of({
        register,
        registerCrew,
        parts,
        gaveUp: Deferred.await(end),
        giveUp: (error) => Deferred.fail(end, error),
        beginStop: Effect.sync(() => void (isStopping = true)),
        isStopping: Effect.sync(() => isStopping)
      })
    })
  )
}
