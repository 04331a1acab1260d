/**
 * `Transport` in memory, for virtual time: no socket, no timer, no promise. A test says what becomes of each attempt and
 * plays the far end of every socket; what it drops or swallows looks to the adapter as it does on a network.
 */
import { Deferred, Duration, Effect, Layer, Queue } from "effect"
import type { LinkError, LinkErrorReason } from "../domain/LinkError.ts"
import { ClosedByServer, ConnectTimeout, HandshakeRejected, Network, NoCloseFrame } from "../domain/LinkError.ts"
import type { Arrivals } from "../layers/Arrivals.ts"
import { closeWithin, isFault, linkError, makeArrivals } from "../layers/Arrivals.ts"
import type { OpenOptions, Socket, SocketMessage } from "../platforms/Transport.ts"
import { Transport } from "../platforms/Transport.ts"
import type { Line, Upgrade } from "./Line.ts"

/** What becomes of an attempt to open a socket. */
export type Answer =
  | { readonly _tag: "Accept" }
  | Upgrade
  /** It never got that far. */
  | { readonly _tag: "Fail"; readonly reason: LinkErrorReason }

/** How our side ended a socket. */
export type Ending = { readonly _tag: "Closed"; readonly code: number } | { readonly _tag: "Terminated" }

/** A socket as the platform sees it. Everything is instant. */
export interface FarEnd extends Line {
  readonly url: string
  /** A front-end answers pings for a session that is dead behind it: messages vanish, in both directions. */
  readonly goMute: Effect.Effect<void>
  /** What our side sent, oldest first. */
  readonly received: Queue.Dequeue<SocketMessage>
  /** Whether our side still has the socket. */
  readonly isOpen: Effect.Effect<boolean>
  /** Returns when our side has ended the socket, or the far side has. */
  readonly ended: Effect.Effect<Ending>
}

export interface MemoryTransport {
  readonly transport: Transport["Service"]
  readonly layer: Layer.Layer<Transport>
  /** Sockets as they are accepted. */
  readonly accepted: Queue.Dequeue<FarEnd>
  /** Decides from now on; every attempt is accepted until told otherwise. */
  readonly answer: (decide: (options: OpenOptions) => Effect.Effect<Answer>) => Effect.Effect<void>
  /** Attempts so far, whatever became of them. */
  readonly attempts: Effect.Effect<number>
  readonly open: Effect.Effect<ReadonlyArray<FarEnd>>
}

/** What a far end keeps of what it was sent; a test that takes nothing loses the oldest. */
const kept = 10_000

export const accept: Answer = { _tag: "Accept" }

/** `serve` starts to play the far end of a socket before our side has it. */
export const make = Effect.fnUntraced(function* (
  serve: (far: FarEnd) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<MemoryTransport> {
  const accepted = yield* Queue.sliding<FarEnd>(kept)
  const live = new Set<FarEnd>()
  let decide: (options: OpenOptions) => Effect.Effect<Answer> = () => Effect.succeed(accept)
  let attempts = 0

  const open = Effect.fnUntraced(function* (options: OpenOptions) {
    attempts++
    const answer = yield* decide(options)
    if (answer._tag !== "Accept") return yield* refuse(answer, options)
    const arrivals = yield* makeArrivals(options)
    const wire = yield* makeWire(options, arrivals, (far) => live.delete(far))
    yield* Effect.addFinalizer((exit) => (isFault(exit) ? wire.socket.terminate : wire.socket.close(1000)))
    live.add(wire.far)
    yield* serve(wire.far)
    yield* Queue.offer(accepted, wire.far)
    return wire.socket
  })
  const transport = Transport.of({ open })
  return {
    transport,
    layer: Layer.succeed(Transport, transport),
    accepted,
    answer: (next) =>
      Effect.sync(() => {
        decide = next
      }),
    attempts: Effect.sync(() => attempts),
    open: Effect.sync(() => Array.from(live))
  }
})

const refuse = (answer: Exclude<Answer, { _tag: "Accept" }>, options: OpenOptions): Effect.Effect<never, LinkError> => {
  const fail = (reason: LinkErrorReason) => Effect.fail(linkError(options.platform, reason))
  switch (answer._tag) {
    case "Fail":
      return fail(answer.reason)
    case "Refuse": {
      const known = options.onRejected?.(answer.status, answer.headers ?? {})
      return fail(known ?? new HandshakeRejected({ status: answer.status, detail: "scripted" }))
    }
    case "Reset":
      return fail(new Network({ detail: "ECONNRESET" }))
    case "Hang": {
      const afterMillis = Duration.toMillis(options.timeout)
      return Effect.andThen(Effect.sleep(options.timeout), fail(new ConnectTimeout({ step: "socket", afterMillis })))
    }
  }
}

/** The two ends of one socket. */
const makeWire = Effect.fnUntraced(function* (
  options: OpenOptions,
  arrivals: Arrivals,
  onEnd: (far: FarEnd) => void
): Effect.fn.Return<{ readonly socket: Socket; readonly far: FarEnd }> {
  const received = yield* Queue.sliding<SocketMessage>(kept)
  const ended = yield* Deferred.make<Ending>()
  const isOpen = () => !Deferred.isDoneUnsafe(ended)
  let silent = false
  let mute = false
  let pongs = true

  const end = (reason: LinkErrorReason, ending: Ending) => {
    arrivals.end(reason)
    Deferred.doneUnsafe(ended, Effect.succeed(ending))
    onEnd(far)
  }
  const terminate = () => end(new NoCloseFrame({ detail: "terminated" }), { _tag: "Terminated" })
  const write = (effect: () => unknown) =>
    Effect.suspend(() => {
      if (!isOpen()) {
        return Effect.fail(
          linkError(options.platform, new NoCloseFrame({ detail: "a write failed: the socket is closed" }))
        )
      }
      if (!silent) effect()
      return Effect.void
    })
  const close = Effect.fnUntraced(function* (code: number, reason = "") {
    if (silent && isOpen()) yield* Effect.sleep(closeWithin)
    end(new ClosedByServer({ code, reason }), silent ? { _tag: "Terminated" } : { _tag: "Closed", code })
  })

  const far: FarEnd = {
    url: options.url,
    received,
    push: (message) =>
      Effect.sync(() => {
        if (isOpen() && !silent && !mute && !arrivals.offer(message)) terminate()
      }),
    close: (code, reason = "") =>
      Effect.sync(() => {
        if (isOpen() && !silent) end(new ClosedByServer({ code, reason }), { _tag: "Closed", code })
      }),
    drop: Effect.sync(() => end(new NoCloseFrame({ detail: "ECONNRESET" }), { _tag: "Terminated" })),
    goSilent: Effect.sync(() => {
      silent = true
    }),
    goMute: Effect.sync(() => {
      mute = true
    }),
    answerPings: (on) =>
      Effect.sync(() => {
        pongs = on
      }),
    isOpen: Effect.sync(isOpen),
    ended: Deferred.await(ended)
  }
  const socket: Socket = {
    host: URL.parse(options.url)?.hostname ?? "memory",
    messages: arrivals.queue,
    send: (data) => write(() => mute || Queue.offerUnsafe(received, data)),
    ping: write(() => {
      if (pongs) arrivals.touch()
    }),
    heard: Effect.sync(arrivals.heard),
    close,
    terminate: Effect.sync(terminate)
  }
  return { socket, far }
})
