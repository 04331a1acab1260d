/**
 * Who lives, and whether it makes progress: the register behind `supervise`, `/livez` and the status. A part stamps its
 * progress together with the time by which the next stamp is due; one that misses it stands.
 */
import type { Duration, Effect, Scope } from "effect"
import { Context, Schema } from "effect"

/** A long-lived part of the gateway crashed too often; the process has to end with 70. */
export class GaveUp extends Schema.TaggedError<GaveUp>()("GaveUp", { part: Schema.String, detail: Schema.String }) {
  override get message() {
    return `${this.part} crashed too often and was given up: ${this.detail}`
  }
}

/** "I am alive, and shall say so again within this time." */
export type Progress = (within: Duration.Duration) => Effect.Effect<void>

/** Times are milliseconds: Unix for `startedAt` and `progressAt`. */
export interface Part {
  readonly name: string
  readonly startedAt: number
  readonly restarts: number
  readonly progressAt: number
  /** It missed its own deadline by this much; null when it did not. */
  readonly overdueMillis: number | null
}

export class Supervision extends Context.Service<
  Supervision,
  {
    /** Enters a part until the scope closes. */
    readonly register: (name: string) => Effect.Effect<Entry, never, Scope.Scope>
    readonly parts: Effect.Effect<ReadonlyArray<Part>>
    /** Never returns: fails when a part was given up. */
    readonly gaveUp: Effect.Effect<never, GaveUp>
    readonly giveUp: (error: GaveUp) => Effect.Effect<void>
  }
>()("evergate/actors/Supervision") {}

export interface Entry {
  readonly progress: Progress
  readonly restarted: Effect.Effect<void>
}
