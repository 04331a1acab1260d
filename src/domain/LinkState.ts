/** Where a link stands: the contract's states, and what a status line says of them. Times are Unix milliseconds. */
import type { PlatformId } from "./Address.ts"
import type { LastError } from "./LinkError.ts"

export type LinkState = "connecting" | "connected" | "backoff" | "failed" | "stopped"

/** Moved by `actors/Connection` alone, through one function. */
export interface LinkStatus {
  readonly id: PlatformId
  readonly kind: string
  readonly state: LinkState
  readonly since: number
  /** Attempts since the link was last up. */
  readonly attempt: number
  readonly connects: number
  readonly disconnects: number
  readonly nextAttemptAt: number | null
  readonly lastError: LastError | null
  /** When the link was last up; null before the first time. */
  readonly lastConnectedAt: number | null
  readonly host: string | null
}

/** An entry of a platform's timeline. */
export interface LinkChange {
  readonly at: number
  readonly state: LinkState
  readonly kind: string | null
  readonly message: string | null
  readonly attempt: number
  readonly nextAttemptAt: number | null
}
