/** The supervision tree: every long-lived part, a platform's parts under it, and what waits there. Reading it writes nothing. */
import { Clock, Effect, Schema } from "effect"
import type { Part } from "../actors/Part.ts"
import { Supervision } from "../actors/Supervision.ts"
import { iso } from "../domain/instant.ts"
import type { Status, StatusSources } from "./Status.ts"
import { status } from "./Status.ts"

/** Null where there is no value: a platform is no part itself, its connection and its lanes are. */
export interface TreePart {
  readonly name: string
  /** The gateway's health, a link's state; of a part `running`, or `standing` when it missed its own deadline. */
  readonly state: string
  /** Of its present life. */
  readonly startedAt: string | null
  readonly uptimeMs: number | null
  readonly restarts: number
  readonly lastProgressAt: string | null
  readonly sinceProgressMs: number | null
  readonly overdueMs: number | null
  /** How many of a crew are at work. */
  readonly working: number | null
  readonly waiting: { readonly turns: number; readonly outbox: number } | null
  readonly parts: ReadonlyArray<TreePart>
}

export const TreePart: Schema.Codec<TreePart> = Schema.Struct({
  name: Schema.String,
  state: Schema.String,
  startedAt: Schema.NullOr(Schema.String),
  uptimeMs: Schema.NullOr(Schema.Number),
  restarts: Schema.Number,
  lastProgressAt: Schema.NullOr(Schema.String),
  sinceProgressMs: Schema.NullOr(Schema.Number),
  overdueMs: Schema.NullOr(Schema.Number),
  working: Schema.NullOr(Schema.Number),
  waiting: Schema.NullOr(Schema.Struct({ turns: Schema.Number, outbox: Schema.Number })),
  parts: Schema.Array(Schema.suspend((): Schema.Codec<TreePart> => TreePart))
})

export const tree: Effect.Effect<TreePart, never, StatusSources> = Effect.gen(function* () {
  const { parts } = yield* Supervision
  return treeOf(yield* status, yield* parts, yield* Clock.currentTimeMillis)
})

/** Parts in the order in which they began. */
export const treeOf = (status: Status, parts: ReadonlyArray<Part>, now: number): TreePart => {
  const under = (id: string | null) => parts.filter(({ platform }) => platform === id).map((part) => partOf(part, now))
  const platforms = status.platforms.map(({ id, state, waiting }): TreePart => ({
    ...nothing,
    name: id,
    state,
    waiting,
    parts: under(id)
  }))
  return {
    ...nothing,
    name: "evergate",
    state: status.health,
    startedAt: status.startedAt,
    uptimeMs: status.uptimeMs,
    waiting: { turns: status.inbox.unprocessed, outbox: status.outbox.pending },
    parts: [...platforms, ...under(null)]
  }
}

const nothing = {
  startedAt: null,
  uptimeMs: null,
  restarts: 0,
  lastProgressAt: null,
  sinceProgressMs: null,
  overdueMs: null,
  working: null,
  waiting: null,
  parts: []
} as const

const partOf = (part: Part, now: number): TreePart => ({
  ...nothing,
  name: part.name,
  state: part.overdueMillis === null ? "running" : "standing",
  startedAt: iso(part.startedAt),
  uptimeMs: now - part.startedAt,
  restarts: part.restarts,
  lastProgressAt: iso(part.progressAt),
  sinceProgressMs: now - part.progressAt,
  overdueMs: part.overdueMillis === null ? null : Math.round(part.overdueMillis),
  working: part.working
})
