/** What was accepted and waits for its turn. Inbox → **InboxStore** → Session. */
import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { Inbound, MessageArrived } from "../domain/Inbound.ts"
import type { Outbound } from "../domain/Outbound.ts"
import type { SessionKey } from "../domain/Session.ts"
import type { TurnId } from "../domain/Turn.ts"

/** An event to keep; `turn` is given here, so that every attempt of its turn carries the same one. */
export interface NewEntry<E extends Inbound = Inbound> {
  readonly event: E
  readonly session: SessionKey
  readonly turn: TurnId
  readonly receivedAt: number
}

export interface InboxEntry extends NewEntry {
  /** Order of acceptance; grows over the whole inbox. */
  readonly seq: number
  /** How often its turn was begun; 0 before the first. */
  readonly attempts: number
}

export interface Refused {
  readonly platform: PlatformId
  readonly eventId: string
  readonly reason: string
  readonly at: number
}

/** How a turn ended, and what it says. */
export interface TurnEnd {
  readonly seq: number
  readonly outcome: "ok" | "failed"
  /** The cause of a failure, for the operator. */
  readonly error: string | null
  readonly replies: ReadonlyArray<Outbound>
  readonly endedAt: number
}

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
    /** The oldest entry of a session whose turn has not ended. */
    readonly next: (session: SessionKey) => Effect.Effect<Option.Option<InboxEntry>, StoreError>
    /** The sessions that have such entries, oldest first. */
    readonly waiting: Effect.Effect<ReadonlyArray<SessionKey>, StoreError>
    /** Writes down that a turn begins; returns the number of the attempt, from 1. */
    readonly begin: (seq: number, at: number) => Effect.Effect<number, StoreError>
    /** The end of the turn and its replies in one transaction: the entry is done, the replies are in the outbox, the run of a job is ended. */
    readonly finish: (end: TurnEnd) => Effect.Effect<void, StoreError>
    /** Entries whose turn has not ended, by platform. */
    readonly unprocessed: Effect.Effect<ReadonlyMap<PlatformId, number>, StoreError>
    /** Drops ended entries older than `before` (never within 48 h) and refusals older than 24 h; a bounded step, true while there may be more. */
    readonly prune: (now: number, before: number) => Effect.Effect<boolean, StoreError>
  }
>()("evergate/store/InboxStore") {}
