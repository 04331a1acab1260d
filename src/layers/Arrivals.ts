/**
 * A socket's receiving side: what came and was not taken yet, when something last came, and the one reason for its end.
 * Bounded: past the bound the socket ends as `Overrun`, never by being paused, which would let its pings go unanswered.
 */
import { Cause, Clock, Duration, Effect, Exit, Queue } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import { LinkError, Overrun } from "../domain/LinkError.ts"
import { monotonicMillisOf } from "../domain/monotonic.ts"
import type { OpenOptions, SocketMessage } from "../platforms/Transport.ts"

/** What may wait. A single message may be as large as all that waits. */
export const bounds = { messages: 1000, bytes: 8 * 1024 * 1024 } as const

export interface Arrivals {
  readonly queue: Queue.Dequeue<SocketMessage, LinkError>
  /** A byte came. */
  readonly touch: () => void
  /** A message came; false when it was one too many, and the socket has to go. */
  readonly offer: (message: SocketMessage) => boolean
  /** The first reason is the one that counts. What came before it can still be taken. */
  readonly end: (reason: LinkErrorReason) => void
  readonly heard: () => { readonly byteAt: number; readonly messageAt: number }
}

/** The arrivals of a socket that is open from now on. */
export const makeArrivals = (options: Pick<OpenOptions, "platform" | "counts">): Effect.Effect<Arrivals> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const queue = yield* Queue.bounded<SocketMessage, LinkError>(bounds.messages)
    // Not cut to whole milliseconds: an answer that came within its question's would count as older than the question.
    const now = () => monotonicMillisOf(clock)
    const heard = { byteAt: now(), messageAt: now() }
    const backlog = makeBacklog()

    const end = (reason: LinkErrorReason) => {
      Queue.failCauseUnsafe(queue, Cause.fail(linkError(options.platform, reason)))
    }
    const offer = (message: SocketMessage) => {
      heard.byteAt = now()
      if (options.counts?.(message) !== false) heard.messageAt = heard.byteAt
      const bytes = backlog.add(message.length, Queue.sizeUnsafe(queue))
      if (bytes <= bounds.bytes && Queue.offerUnsafe(queue, message)) return true
      end(new Overrun({ frames: Queue.sizeUnsafe(queue) + 1, bytes }))
      return false
    }
    const touch = () => {
      heard.byteAt = now()
    }
    return { queue, touch, offer, end, heard: () => ({ ...heard }) }
  })

export const linkError = (platform: PlatformId, reason: LinkErrorReason): LinkError =>
  new LinkError({ platform, reason })

/** An interruption is a stop and no fault: then the far side is told goodbye before the socket goes. */
export const isFault = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)

/** How long the far side may take to answer our close frame. */
export const closeWithin = Duration.seconds(2)

/** Sizes of what waits, oldest first: what has left the queue since the last arrival has left this list too. */
const makeBacklog = () => {
  const sizes: Array<number> = []
  let total = 0
  return {
    add: (size: number, waiting: number): number => {
      while (sizes.length > waiting) total -= sizes.shift() ?? 0
      sizes.push(size)
      total += size
      return total
    }
  }
}
