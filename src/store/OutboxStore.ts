/** What is still to be said, and what became of what was said. Session → **OutboxStore** → Outbox. */
import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Address, PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { DeliveryId, Outbound } from "../domain/Outbound.ts"

export type DeliveryState = "pending" | "delivered" | "dead"

export interface Delivery extends Outbound {
  /** Order within everything that was ever posted. */
  readonly seq: number
  readonly state: DeliveryState
  /** How many tries ended. */
  readonly attempts: number
  readonly createdAt: number
  /** Not tried before this. */
  readonly notBefore: number
  /** When a try first ended without an answer; null when none did. */
  readonly unknownAt: number | null
  /** It was sent once more after an answer got lost, without a key that would tell the two apart. */
  readonly unknown: boolean
  readonly deliveredAt: number | null
  readonly messageId: string | null
  readonly lastError: string | null
}

/** What is written down after a try that did not end the matter. */
export interface Postponed {
  readonly seq: number
  readonly notBefore: number
  readonly error: string
  readonly unknownAt: number | null
  readonly unknown: boolean
}

export class OutboxStore extends Context.Service<
  OutboxStore,
  {
    /** Writes messages down in order. One whose id is known is not written again. `idempotencyKey` makes the id of an earlier post with the same key come back. */
    readonly post: (
      message: Outbound,
      idempotencyKey: string | null,
      at: number
    ) => Effect.Effect<DeliveryId, StoreError>
    /** The oldest pending message of a chat. */
    readonly next: (platform: PlatformId, chat: string) => Effect.Effect<Option.Option<Delivery>, StoreError>
    /** The chats of a platform that have pending messages, oldest first. */
    readonly lanes: (platform: PlatformId) => Effect.Effect<ReadonlyArray<string>, StoreError>
    readonly delivered: (seq: number, messageId: string | null, at: number) => Effect.Effect<void, StoreError>
    readonly postpone: (postponed: Postponed) => Effect.Effect<void, StoreError>
    /** Takes a message out of its lane for good, with the reason. */
    readonly bury: (seq: number, reason: string, at: number) => Effect.Effect<void, StoreError>
    readonly find: (id: DeliveryId) => Effect.Effect<Option.Option<Delivery>, StoreError>
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
>()("evergate/store/OutboxStore") {}

export interface TranscriptLine {
  readonly id: string
  readonly from: "sender" | "gateway"
  readonly text: string
  readonly at: number
}
