/**
 * WebSockets as a port: egress policy (proxy, extra CA, limits) is its own, and every adapter runs on virtual time over
 * the in-memory one. `layers/WebSocket` implements it over `ws`, `testing/MemoryTransport` in memory.
 */
import type { Duration, Effect, Queue, Scope } from "effect"
import { Context } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkError } from "../domain/LinkError.ts"

export interface OpenOptions {
  /** For errors. */
  readonly platform: PlatformId
  /** `ws:` or `wss:`; its query is a secret and is never logged. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Bounds everything up to the upgrade. */
  readonly timeout: Duration.Duration
  /**
   * Reads what a refused upgrade says; the error it returns goes before `HandshakeRejected`. Header names are lower-case.
   */
  readonly onRejected?: (
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ) => LinkError["reason"] | undefined
  /** Which messages are signs of life of the session; absent: all of them. Asked on receipt, so it must be quick. */
  readonly counts?: (message: SocketMessage) => boolean
}

/** A whole message: text, or bytes that the receiver owns. */
export type SocketMessage = string | Uint8Array

/** One open WebSocket. Closing its scope closes it: with 1000 and a bounded wait on success, at once on failure. */
export interface Socket {
  readonly host: string
  /**
   * At most 1,000 messages or 8 MiB; past that the socket is ended as `Overrun`. Fails with why the socket ended, after
   * what came before; it never ends normally.
   */
  readonly messages: Queue.Dequeue<SocketMessage, LinkError>
  /** Returns when the bytes were handed to the kernel; a failed write is `NoCloseFrame`, and the socket is dead. */
  readonly send: (data: SocketMessage) => Effect.Effect<void, LinkError>
  readonly ping: Effect.Effect<void, LinkError>
  /** When the last byte and the last message that counts came, in milliseconds of the monotonic clock. */
  readonly heard: Effect.Effect<{ readonly byteAt: number; readonly messageAt: number }>
  readonly close: (code: number, reason?: string) => Effect.Effect<void>
  readonly terminate: Effect.Effect<void>
}

export class Transport extends Context.Service<
  Transport,
  {
    readonly open: (options: OpenOptions) => Effect.Effect<Socket, LinkError, Scope.Scope>
  }
>()("evergate/platforms/Transport") {}
