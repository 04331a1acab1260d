/** Stands between the gateway and an adapter and sees what passes: attempts, links, acknowledgements, sends. */
import { Effect, Stream } from "effect"
import type { Frame, Link, Platform } from "../../platforms/Platform.ts"
import type { Book } from "./book.ts"
import type { SharedStore } from "./sharedStore.ts"
import type { Process, VirtualTime } from "./virtualTime.ts"

/** A link that is open. */
export interface Seen {
  /** Since when the far side has been silent on it; null while it speaks. */
  silentSince: number | null
}

/** What was seen of a platform in one life. */
export interface Witness {
  inFlight: number
  readonly links: Set<Seen>
  /** When attempts began, oldest first: those of the last minute. */
  attempts: ReadonlyArray<number>
  /** When the life was told to stop. */
  stoppingAt: number | null
}

export const makeWitness = (): Witness => ({ inFlight: 0, links: new Set(), attempts: [], stoppingAt: null })

export interface Surroundings {
  readonly time: VirtualTime
  readonly book: Book
  readonly store: SharedStore
}

/** Attempts within a minute that full jitter does not reach as long as waits grow. */
const mostAttempts = 40

/** The platform as the life may use it; once that life is dead nothing of it reaches the far end. */
export const witnessed = (
  platform: Platform,
  witness: Witness,
  life: Process,
  { time, book, store }: Surroundings
): Platform => {
  const { id } = platform
  const living = <A, E, R>(effect: () => Effect.Effect<A, E, R>) =>
    Effect.suspend(() => (life.isAlive() ? effect() : Effect.never))

  const begin = () => {
    const now = time.elapsed()
    witness.attempts = [...witness.attempts.filter((at) => now - at < 60_000), now]
    if (witness.stoppingAt !== null && now > witness.stoppingAt) book.violate("no attempt after a stop", id)
    if (++witness.inFlight > 1) book.violate("one attempt at a time", `${id}: ${witness.inFlight} at once`)
    if (witness.attempts.length > mostAttempts) {
      book.violate("backoff outlives an opening", `${id}: ${witness.attempts.length} attempts in a minute`)
    }
  }
  const open = Effect.acquireRelease(
    Effect.sync(() => {
      const seen: Seen = { silentSince: null }
      witness.links.add(seen)
      if (witness.links.size > 2) book.violate("two links at most", `${id}: ${witness.links.size}`)
      return seen
    }),
    (seen) => Effect.sync(() => witness.links.delete(seen))
  )
  const read = (frame: Frame): Frame => {
    if (frame._tag !== "Arrived") return frame
    const { event, ack } = frame
    const check = Effect.sync(() => {
      const known = store.rows.knows({ ...event, chat: event.chat.id })
      if (!known) book.violate("acknowledged is kept", `${id}: ${event.eventId} (${event.text})`)
    })
    return { ...frame, ack: living(() => Effect.andThen(check, ack)) }
  }
  const watch = (link: Link): Link => ({
    ...link,
    frames: Stream.mapArray(link.frames, ([first, ...others]) => [read(first), ...others.map(read)])
  })

  return {
    ...platform,
    connect: (resume) =>
      living(() => {
        begin()
        return platform.connect(resume).pipe(
          Effect.ensuring(Effect.sync(() => witness.inFlight--)),
          Effect.tap(() => open),
          Effect.map(watch)
        )
      }),
    send: (message) =>
      living(() => {
        const letter = store.rows.letter(message.id)
        if (letter?.state !== "pending") {
          book.violate("sent is kept", `${id}: ${message.id} is ${letter?.state ?? "in no row"} (${message.text})`)
        }
        return platform.send(message)
      })
  }
}
