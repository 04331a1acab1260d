/** `link` of the contract: how a link is kept alive and brought back. */
import { Duration, Schema } from "effect"

export interface Heartbeat {
  readonly interval: Duration.Duration
  readonly timeout: Duration.Duration
}

export interface Retry {
  readonly first: Duration.Duration
  readonly base: Duration.Duration
  readonly factor: number
  readonly max: Duration.Duration
  readonly jitter: Jitter
  readonly resetAfter: Duration.Duration
}

/** `full`: a wait is drawn evenly from nothing up to the backoff; `none`: it is the backoff. */
export const Jitter = Schema.Literals(["full", "none"])
export type Jitter = typeof Jitter.Type

export interface LinkSettings {
  readonly heartbeat: Heartbeat
  /** Of each step of an attempt. */
  readonly connectTimeout: Duration.Duration
  readonly retry: Retry
}

export const defaults: LinkSettings = {
  heartbeat: { interval: Duration.seconds(15), timeout: Duration.seconds(10) },
  connectTimeout: Duration.seconds(15),
  retry: {
    first: Duration.zero,
    base: Duration.seconds(1),
    factor: 2,
    max: Duration.seconds(15),
    jitter: "full",
    resetAfter: Duration.seconds(60)
  }
}
