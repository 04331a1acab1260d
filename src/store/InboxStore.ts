/** What was accepted and waits for its turn. Inbox → **InboxStore** → Session. */
import { Clock, Context, Effect, Layer } from "effect"
import type { Option } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { MessageArrived } from "../domain/Inbound.ts"
import type { SessionKey } from "../domain/Session.ts"
import { Database } from "./Database.ts"
import type { InboxEntry, NewEntry, Refused, SessionRow, TurnEnd } from "./inboxTable.ts"
import * as Table from "./inboxTable.ts"

export type { InboxEntry, NewEntry, Refused, SessionRow, TurnEnd } from "./inboxTable.ts"

export class InboxStore extends Context.Service<
  InboxStore,
  {
    /**
     * Keeps the events, in order, in one transaction; says of each whether it was new. Known by platform + event id, or by
     * platform + chat + message id + revision. `resume` is kept with them.
     */
    readonly accept: (
      entries: ReadonlyArray<NewEntry<MessageArrived>>,
      resume?: { readonly platform: PlatformId; readonly token: string }
    ) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
    /** Keeps id and reason for 24 h, the newest 10,000. */
    readonly refuse: (refused: ReadonlyArray<Refused>) => Effect.Effect<void, StoreError>
    /**
     * Begins the oldest entry of a session whose turn has not ended: the attempt is counted and on the disk, so that one that
     * a crash cuts is followed by the next number. An entry that does not read back is ended as failed, and passed.
     */
    readonly take: (session: SessionKey, at: number) => Effect.Effect<Option.Option<InboxEntry>, StoreError>
    /** The sessions that have such entries, oldest first. */
    readonly waiting: Effect.Effect<ReadonlyArray<SessionKey>, StoreError>
    /**
     * The end of the turn and its replies in one transaction: the entry is done, the replies are in the outbox, the run of a
     * job is ended. Nothing happens to an entry that has ended before. With `goesOn`, the next entry of that session is
     * begun in the same transaction, and returned, as by `take`.
     */
    readonly finish: (end: TurnEnd, goesOn?: SessionKey) => Effect.Effect<Option.Option<InboxEntry>, StoreError>
    /** The sessions that spoke lately or wait, the newest first. */
    readonly sessions: (limit: number) => Effect.Effect<ReadonlyArray<SessionRow>, StoreError>
    /** By hand: ends what waits in a session and was not begun; returns how many. */
    readonly clear: (session: SessionKey, at: number) => Effect.Effect<number, StoreError>
    /** Entries whose turn has not ended, by platform. */
    readonly unprocessed: Effect.Effect<ReadonlyMap<PlatformId, number>, StoreError>
    /** Drops ended entries older than `before` (never within 48 h) and refusals older than 24 h; a bounded step, true while there may be more. */
    readonly prune: (now: number, before: number) => Effect.Effect<boolean, StoreError>
  }
>()("evergate/store/InboxStore") {
  static readonly layer: Layer.Layer<InboxStore, never, Database> = Layer.effect(
    InboxStore,
    Effect.gen(function* () {
      const db = yield* Database
      const { sql } = db

      const begun = ([row]: ReadonlyArray<Table.Numbered>): Effect.Effect<Option.Option<InboxEntry>, StoreError> =>
        row === undefined
          ? Effect.succeedNone
          : Effect.matchEffect(Table.decodeEntry(row), {
              onSuccess: (entry) => Effect.succeedSome(entry),
              // Left in its place it would hold up its session for ever.
              onFailure: (error) => bury(row, error)
            })

      const bury = Effect.fnUntraced(function* ({ seq, session }: Table.Numbered, { message }: StoreError) {
        yield* Effect.logError("an event that does not read back was given up").pipe(Effect.annotateLogs({ message }))
        const endedAt = yield* Clock.currentTimeMillis
        return yield* finish({ seq, outcome: "failed", error: message, replies: [], endedAt }, session)
      })

      const finish: InboxStore["Service"]["finish"] = (end, goesOn) =>
        Effect.flatMap(db.write("finish", Table.finish(sql, end, goesOn ?? null)), begun)

      return InboxStore.of({
        accept: (entries, resume) => db.write("accept", Table.accept(sql, entries, resume)),
        refuse: (refused) => db.write("refuse", Table.refuse(sql, refused)),
        take: (session, at) => Effect.flatMap(db.write("take", Table.take(sql, session, at)), begun),
        waiting: db.read("waiting", Table.waiting(sql)),
        finish,
        sessions: (limit) => db.read("sessions", Table.sessions(sql, limit)),
        clear: (session, at) => db.write("clear", Table.clear(sql, session, at)),
        unprocessed: db.read("unprocessed", Table.unprocessed(sql)),
        prune: (now, before) => db.write("prune", Table.prune(sql, now, before))
      })
    })
  )
}
