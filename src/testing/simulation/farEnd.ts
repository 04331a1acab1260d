/** A platform's far end as the simulation plays it, whatever stands behind: the platform in memory, or Feishu itself. */
import type { Effect } from "effect"
import type { PlatformId } from "../../domain/Address.ts"
import type { Platform } from "../../platforms/Platform.ts"

/** How attempts fail as long as it lasts. */
export type Refusal =
  | "refused"
  | "hanging"
  | "rejected"
  | "bootstrap"
  | "auth"
  | "setup"
  | "limit"
  | "conflict"
  | "defect"

export const refusals = [
  "refused",
  "hanging",
  "rejected",
  "bootstrap",
  "auth",
  "setup",
  "limit",
  "conflict",
  "defect"
] as const satisfies ReadonlyArray<Refusal>

/** Something that was said to the bot. */
export interface Spoken {
  readonly platform: PlatformId
  readonly messageId: string
  /** By the rules of access; else it is acknowledged and refused. */
  readonly heard: boolean
}

/** A message that the platform took. */
export interface Taken {
  readonly id: string
  readonly text: string
}

export interface FarEnd {
  readonly id: PlatformId
  readonly kind: string
  readonly chats: ReadonlyArray<string>
  /** How long a link that fell silent may stay, in milliseconds. */
  readonly noticedWithin: number
  /** The adapter for a new life of the gateway. */
  readonly adapter: Effect.Effect<Platform>
  readonly say: (chat: string, text: string, heard: boolean) => Effect.Effect<Spoken>
  /** One of the last messages comes once more: the same event, or the same message as another event. */
  readonly repeat: Effect.Effect<void>
  readonly drop: Effect.Effect<void>
  /** The newest link: no byte passes any more, or only the session is dead. It stays so until the link ends. */
  readonly silence: (clock: "path" | "session") => Effect.Effect<void>
  readonly goodbye: Effect.Effect<void>
  readonly refuse: (refusal: Refusal | null) => Effect.Effect<void>
  /** Sends are refused, limited, slow, or lose their answers, now and then; or not. */
  readonly rough: (on: boolean) => Effect.Effect<void>
  /** The process at the other end is gone. */
  readonly abandon: Effect.Effect<void>
  /** What was taken since the last look, oldest first. */
  readonly newlyTaken: Effect.Effect<ReadonlyArray<Taken>>
  /** Sockets that are open, where it has any. */
  readonly sockets: Effect.Effect<number>
}
