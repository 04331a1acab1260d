/** A WebSocket as a far end holds it, over loopback and in memory alike. */
import type { Effect } from "effect"
import type { SocketMessage } from "../platforms/Transport.ts"

/** Everything that is done to a socket that has ended changes nothing. */
export interface Line {
  readonly push: (message: SocketMessage) => Effect.Effect<void>
  readonly close: (code: number, reason?: string) => Effect.Effect<void>
  /** The connection breaks, without a close frame. */
  readonly drop: Effect.Effect<void>
  /** Half-open: what our side sends vanishes, nothing comes, and a close is never answered. */
  readonly goSilent: Effect.Effect<void>
  /** Whether WebSocket pings are answered; they are at first. */
  readonly answerPings: (on: boolean) => Effect.Effect<void>
}

/** What becomes of an upgrade that is not accepted. */
export type Upgrade =
  /** An HTTP answer in its place. */
  | { readonly _tag: "Refuse"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** No answer at all. */
  | { readonly _tag: "Hang" }
  /** The connection breaks before the answer. */
  | { readonly _tag: "Reset" }
