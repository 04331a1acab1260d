/** A lane a chat, a limiter an account: what was written down is sent, in order, until it is delivered or dead. Session → **Outbox** → Platform. */
import type { Effect, Scope } from "effect"
import { Context } from "effect"
import type { Address, PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { DeliveryId } from "../domain/Outbound.ts"
import type { Platform } from "../platforms/Platform.ts"

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Writes a message down and lets its lane know. Once it returns, a crash loses nothing. The same key twice is one message. */
    readonly post: (message: {
      readonly to: Address
      readonly text: string
      readonly idempotencyKey?: string
    }) => Effect.Effect<DeliveryId, StoreError>
    /** Something waits for this chat. */
    readonly wake: (platform: PlatformId, chat: string) => Effect.Effect<void>
    /** Serves a platform's lanes until the scope closes. */
    readonly open: (platform: Platform) => Effect.Effect<Lanes, never, Scope.Scope>
  }
>()("evergate/actors/Outbox") {}

/** What a platform still has to say. */
export interface Lanes {
  /** The link is up: what waits for a retry is tried now. */
  readonly nudge: Effect.Effect<void>
  /** Returns when every lane is empty. */
  readonly flush: Effect.Effect<void>
  /** When something was last delivered; Unix milliseconds. */
  readonly lastSentAt: Effect.Effect<number | null>
}
