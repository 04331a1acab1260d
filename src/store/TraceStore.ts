/** What became of one message, from what every other table kept of it. Writes nothing. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { StoreError } from "../domain/Errors.ts"
import { Database } from "./Database.ts"
import type { BeforeRow, DeliveryRow, EntryRow, RefusedRow } from "./traceTable.ts"
import * as Table from "./traceTable.ts"

export type { BeforeRow, DeliveryRow, EntryRow, RefusedRow } from "./traceTable.ts"

export interface TracedEntry extends EntryRow {
  /** Since when the link was up that it came on; null where that is not known any more. */
  readonly linkSince: number | null
  /** What its session has to do first, oldest first. */
  readonly before: ReadonlyArray<BeforeRow>
  readonly replies: ReadonlyArray<DeliveryRow>
}

/** All of it empty: nothing is known of that id. */
export interface Traced {
  readonly entries: ReadonlyArray<TracedEntry>
  readonly refused: ReadonlyArray<RefusedRow>
  /** Those that belong to none of the entries. */
  readonly deliveries: ReadonlyArray<DeliveryRow>
}

export class TraceStore extends Context.Service<
  TraceStore,
  {
    /** By the platform's id of a message that came or was sent, by event id, turn id or delivery id. */
    readonly trace: (id: string) => Effect.Effect<Traced, StoreError>
  }
>()("evergate/store/TraceStore") {
  static readonly layer: Layer.Layer<TraceStore, never, Database> = Layer.effect(
    TraceStore,
    Effect.gen(function* () {
      const { read, sql } = yield* Database

      const withAll = Effect.fnUntraced(function* (entry: EntryRow): Effect.fn.Return<TracedEntry, SqlError.SqlError> {
        return {
          ...entry,
          linkSince: yield* Table.linkSince(sql, entry),
          before: entry.endedAt === null ? yield* Table.before(sql, entry) : [],
          replies: yield* Table.repliesOf(sql, entry.turn)
        }
      })

      /** By what is known of it under its own name; else by what was sent, which names the turn that said it. */
      const found = Effect.fnUntraced(function* (id: string) {
        const entries = yield* Table.entries(sql, id)
        if (entries.length > 0) return { entries, deliveries: [] }
        const own = yield* Table.deliveriesOf(sql, id)
        const deliveries = own.length > 0 ? own : yield* Table.deliveriesNear(sql, id)
        const turns = new Set(deliveries.flatMap((delivery) => Table.turnIn(delivery.id) ?? []))
        const saying = yield* Effect.forEach(turns, (turn) => Table.entries(sql, turn))
        return { entries: saying.flat(), deliveries }
      })

      const trace = Effect.fnUntraced(function* (id: string): Effect.fn.Return<Traced, SqlError.SqlError> {
        const { deliveries, ...rest } = yield* found(id)
        const entries = yield* Effect.forEach(rest.entries, withAll)
        const replies = new Set(entries.flatMap((entry) => entry.replies.map((reply) => reply.id)))
        return {
          entries,
          refused: yield* Table.refused(sql, id),
          deliveries: deliveries.filter((delivery) => !replies.has(delivery.id))
        }
      })

      return TraceStore.of({ trace: (id) => read("trace", trace(id)) })
    })
  )
}
