/**
 * The port on the left edge: what an adapter is to the gateway. An adapter declares how to connect, what counts as life
 * and how to send; it never reconnects by itself, and it reaches the gateway through `PlatformHost` alone.
 */
import type { Duration, Effect, Scope, Stream } from "effect"
import { Context } from "effect"
import type { Access } from "../domain/access.ts"
import type { PlatformId } from "../domain/Address.ts"
import type { SendError } from "../domain/Errors.ts"
import type { Finding } from "../domain/Finding.ts"
import type { MessageArrived } from "../domain/Inbound.ts"
import type { LinkError } from "../domain/LinkError.ts"
import type { LinkSettings } from "../domain/LinkSettings.ts"
import type { Outbound, Receipt } from "../domain/Outbound.ts"

export interface Platform {
  /** The account's name: what the settings call it. */
  readonly id: PlatformId
  readonly kind: string
  readonly settings: LinkSettings
  readonly access: Access
  readonly capabilities: Capabilities
  /** A hash of what it connects with; tells credentials that have worked before from ones that never did. */
  readonly fingerprint: string
  /** Does not count for readiness and escalation (the contract's `local`). */
  readonly auxiliary?: boolean
  /**
   * One attempt, up to the platform's own handshake; the link lives in the scope. Each step is bounded by
   * `settings.connectTimeout`. `resume` is what the last link's frames left, null at first or after a refused resume.
   */
  readonly connect: (resume: string | null) => Effect.Effect<Link, LinkError, Scope.Scope>
  /** One try, bounded in time. Retrying, order and pace are the outbox's. */
  readonly send: (message: Outbound) => Effect.Effect<Receipt, SendError>
  /** What `evergate doctor` can find out; absent: only what the gateway itself knows of the link. */
  readonly diagnosis?: Diagnosis
}

/** Looked at beside a link that is up: nothing here may open a connection of the account's or take a message from it. */
export interface Diagnosis {
  /** The URL that everything begins with. Its name, its port and its certificate are looked at before the platform is asked. */
  readonly origin: string
  /** What the platform itself is asked for: credentials, rights, its own set-up. Causes first; whoever runs it bounds it in time. */
  readonly examine: Effect.Effect<ReadonlyArray<Finding>>
}

export interface Capabilities {
  /** The largest text of one message, in UTF-16 units. */
  readonly textLimit: number
  /** How long the platform remembers a message's idempotency key; null where it has none. */
  readonly idempotencyLife: Duration.Duration | null
  /** The most sends in a window, for the account and for one chat; empty where the platform names none. */
  readonly accountRates: ReadonlyArray<Rate>
  readonly chatRates: ReadonlyArray<Rate>
}

export interface Rate {
  readonly sends: number
  readonly per: Duration.Duration
}

/** One live connection, owned by the scope it was made in. */
export interface Link {
  /** The far side's host name, never its query. */
  readonly host: string
  /** Taken in arrays: what waits is kept in one transaction. Fails as the link does; a normal end is a failure too (`Ended`). */
  readonly frames: Stream.Stream<Frame, LinkError>
  readonly liveness: Liveness
  /** When the socket last received, in milliseconds of the monotonic clock; stamped on receipt, not when taken. */
  readonly heard: Effect.Effect<Heard>
  /** What the platform said of itself: its client configuration, its number of connections, counts of skipped frames. */
  readonly server: Effect.Effect<Readonly<Record<string, unknown>>>
}

export interface Heard {
  /** Any byte at all, a WebSocket pong included. */
  readonly byteAt: number
  /** A sign of life of the session, as the adapter declares it. */
  readonly frameAt: number
}

/** Declared by the adapter, run by `actors/Connection`: the contract's two clocks. */
export interface Liveness {
  readonly path: Probe | null
  readonly session: Session
}

/** Asked every `interval`; without a byte within `timeout` of asking, the link is dead. */
export interface Probe {
  readonly interval: Duration.Duration
  readonly timeout: Duration.Duration
  readonly ping: Effect.Effect<void, LinkError>
}

export type Session =
  /** We ask: `first` after connect, then after each `every`; a frame is due `within` of asking. */
  | {
      readonly _tag: "Answered"
      readonly first: Duration.Duration
      readonly every: Effect.Effect<Duration.Duration>
      readonly within: Duration.Duration
      readonly beat: Effect.Effect<void, LinkError>
    }
  /** The far side speaks by itself, at least once in `within`. */
  | { readonly _tag: "Heard"; readonly within: Duration.Duration }
  | { readonly _tag: "None" }

/** What the gateway needs to know of a wire frame. */
export type Frame =
  /**
   * A message. `ack` tells the platform that it is kept, on the socket it came by; the gateway runs it after the message
   * is in the store. `resume` is stored with it.
   */
  | {
      readonly _tag: "Arrived"
      readonly event: MessageArrived
      readonly ack: Effect.Effect<void, LinkError>
      readonly resume?: string
    }
  /** An event that is none of ours: acknowledged and counted. */
  | { readonly _tag: "Ignored"; readonly what: string; readonly ack: Effect.Effect<void, LinkError> }
  | { readonly _tag: "Alive" }
  /** A planned goodbye: the next connection is opened at once, this one is read until it ends. */
  | { readonly _tag: "GoAway"; readonly detail: string }

/** The hole that adapters plug into. */
export class PlatformHost extends Context.Service<
  PlatformHost,
  {
    /** Connects the platform and keeps it connected until the scope closes; then settles, flushes and closes it. */
    readonly attach: (platform: Platform) => Effect.Effect<void, never, Scope.Scope>
  }
>()("evergate/platforms/PlatformHost") {}
