/** What is still to be said, and what became of what was said. Session → **OutboxStore** → Outbox. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Address, PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { DeliveryId, Outbound } from "../domain/Outbound.ts"
import { Database } from "./Database.ts"
import type { Delivery, DeliveryState, Postponed } from "./outboxTable.ts"
import * as Table from "./outboxTable.ts"
import { readable } from "./rows.ts"
import type { TranscriptLine } from "./transcript.ts"
import { transcript } from "./transcript.ts"

export type { Delivery, DeliveryState, Postponed } from "./outboxTable.ts"
export type { TranscriptLine } from "./transcript.ts"

export class OutboxStore extends Context.Service<
  OutboxStore,
  {
    /** Writes messages down in order. One whose id is known is not written again. `idempotencyKey` makes the id of an earlier post with the same key come back. */
    readonly post: (
      message: Outbound,
      idempotencyKey: string | null,
      at: number
    ) => Effect.Effect<DeliveryId, StoreError>
    /** The oldest pending message of a chat. One that does not read back is buried, and passed. */
    readonly next: (platform: PlatformId, chat: string) => Effect.Effect<Option.Option<Delivery>, StoreError>
    /** The chats of a platform that have pending messages, oldest first. */
    readonly lanes: (platform: PlatformId) => Effect.Effect<ReadonlyArray<string>, StoreError>
    /** Takes a message out of its lane; returns the next of its chat, as `next` does. */
    readonly delivered: (
      message: Pick<Delivery, "seq" | "address">,
      messageId: string | null,
      at: number
    ) => Effect.Effect<Option.Option<Delivery>, StoreError>
    readonly postpone: (postponed: Postponed) => Effect.Effect<void, StoreError>
    /** Takes a message out of its lane for good, with the reason. */
    readonly bury: (seq: number, reason: string, at: number) => Effect.Effect<void, StoreError>
    /** By hand: a message that is dead or waits is tried at once, and its time begins anew. None where there is no such message. */
    readonly revive: (id: DeliveryId, at: number) => Effect.Effect<Option.Option<Table.Lane>, StoreError>
    /** By hand: a message that is dead or waits is gone. None where there is no such message. */
    readonly drop: (id: DeliveryId, at: number) => Effect.Effect<Option.Option<Table.Lane>, StoreError>
    /** Of platforms that nobody serves, some of the oldest messages that were posted before `before`. */
    readonly unserved: (
      served: ReadonlyArray<PlatformId>,
      before: number
    ) => Effect.Effect<ReadonlyArray<{ readonly seq: number; readonly platform: PlatformId }>, StoreError>
    readonly find: (id: DeliveryId) => Effect.Effect<Option.Option<Delivery>, StoreError>
    /** Newest first. */
    readonly list: (state: DeliveryState, limit: number) => Effect.Effect<ReadonlyArray<Delivery>, StoreError>
    /** Pending messages by platform, and how many were ever delivered or buried and not pruned. */
    readonly counts: Effect.Effect<
      {
        readonly pending: ReadonlyMap<PlatformId, number>
        readonly delivered: number
        readonly dead: number
      },
      StoreError
    >
    /** The newest messages of a chat in both directions, oldest first: what the local chat shows. */
    readonly transcript: (chat: Address, limit: number) => Effect.Effect<ReadonlyArray<TranscriptLine>, StoreError>
    /** Drops delivered and dead messages older than `before`; a bounded step, true while there may be more. */
    readonly prune: (before: number) => Effect.Effect<boolean, StoreError>
  }
>()("evergate/store/OutboxStore") {
  static readonly layer: Layer.Layer<OutboxStore, never, Database> = Layer.effect(
    OutboxStore,
    Effect.gen(function* () {
      const db = yield* Database
      const { sql } = db

      const end = (seq: number, how: Table.DeliveryEnd) => db.write(how.state, Table.end(sql, seq, how))

      const readBack = (
        [row]: ReadonlyArray<Table.Numbered>,
        platform: PlatformId,
        chat: string
      ): Effect.Effect<Option.Option<Delivery>, StoreError> =>
        row === undefined
          ? Effect.succeedNone
          : Effect.matchEffect(Table.decodeDelivery(row), {
              onSuccess: (delivery) => Effect.succeedSome(delivery),
              // Left in its place it would hold up its lane for ever.
              onFailure: (error) => Effect.andThen(buryUnreadable(row.seq, error), next(platform, chat))
            })

      const next: OutboxStore["Service"]["next"] = (platform, chat) =>
        Effect.flatMap(db.read("next", Table.oldestPending(sql, platform, chat)), (found) =>
          readBack(found, platform, chat)
        )

      const delivered: OutboxStore["Service"]["delivered"] = ({ address: { chat, platform }, seq }, messageId, at) => {
        const ended = Table.end(sql, seq, { state: "delivered", messageId, at })
        const both = Effect.andThen(ended, Table.oldestPending(sql, platform, chat))
        return Effect.flatMap(db.write("delivered", both), (found) => readBack(found, platform, chat))
      }

      const buryUnreadable = Effect.fnUntraced(function* (seq: number, { message }: StoreError) {
        yield* Effect.logError("a message that does not read back was buried").pipe(Effect.annotateLogs({ message }))
        yield* end(seq, { state: "dead", reason: message, at: yield* Clock.currentTimeMillis })
      })

      const find = Effect.fnUntraced(function* (id: DeliveryId) {
        const [row] = yield* db.read("find", Table.byId(sql, id))
        return row === undefined ? Option.none() : Option.some(yield* Table.decodeDelivery(row))
      })

      return OutboxStore.of({
        post: (message, key, at) => db.write("post", Table.post(sql, message, key, at)),
        next,
        unserved: (served, before) => db.read("unserved", Table.unserved(sql, served, before)),
        lanes: (platform) => db.read("lanes", Table.lanes(sql, platform)),
        delivered,
        postpone: (postponed) => Effect.asVoid(db.write("postpone", Table.postpone(sql, postponed))),
        bury: (seq, reason, at) => end(seq, { state: "dead", reason, at }),
        revive: (id, at) => Effect.map(db.write("revive", Table.revive(sql, id, at)), Option.fromNullishOr),
        drop: (id, at) => Effect.map(db.write("drop", Table.drop(sql, id, at)), Option.fromNullishOr),
        find,
        list: (state, limit) =>
          Effect.flatMap(db.read("list", Table.newest(sql, state, limit)), (rows) =>
            readable(rows.map(Table.decodeDelivery))
          ),
        counts: db.read("counts", Table.counts(sql)),
        transcript: (chat, limit) => db.read("transcript", transcript(sql, chat, limit)),
        prune: (before) => db.write("prune", Table.prune(sql, before))
      })
    })
  )
}
