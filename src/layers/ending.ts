/** Ends the gateway that holds a lock, as `stop` and `run --replace` do: asked first, killed when its time is over. */
import { Duration, Effect, Option, Predicate, Schedule, Schema } from "effect"
import * as Holder from "./holder.ts"

/** It may not be signalled, or is still there. */
export class NotEnded extends Schema.TaggedError<NotEnded>()("NotEnded", {
  pid: Schema.Int,
  detail: Schema.String
}) {
  override get message() {
    return `process ${this.pid} does not end: ${this.detail}`
  }
}

/** Beyond what its own stop may take: a stop that is on time is never killed. */
const margin = Duration.seconds(5)
/** What a killed process gets to be gone; one that hangs in the kernel stays. */
const killPatience = Duration.seconds(5)
const look = Schedule.spaced("100 millis")

/** Returns when the holder is gone. */
export const gone = (holder: Holder.Holder): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.repeat(
      Effect.sync(() => Holder.isAlive(holder)),
      { schedule: look, while: (alive) => alive }
    )
  )

/** How long a gateway gets from the signal to the kill. */
export const patienceOf = ({ stopMillis }: Holder.Running): Duration.Duration =>
  Duration.sum(Duration.millis(stopMillis), margin)

/** Asks it to stop, waits for its end, and kills it when the time is over; true where it came to that. */
export const end = (holder: Holder.Holder, patience: Duration.Duration): Effect.Effect<boolean, NotEnded> =>
  Effect.gen(function* () {
    yield* signal(holder, "SIGTERM")
    // One that was halted hears nothing before it goes on.
    yield* signal(holder, "SIGCONT")
    const ended = yield* Effect.timeoutOption(gone(holder), patience)
    if (Option.isSome(ended)) return false
    yield* signal(holder, "SIGKILL")
    yield* Effect.timeoutOrElse(gone(holder), {
      duration: killPatience,
      orElse: () => new NotEnded({ pid: holder.pid, detail: "it was killed, and is still there" })
    })
    return true
  })

/** None is sent to a process that only has the holder's number. */
const signal = (holder: Holder.Holder, name: NodeJS.Signals): Effect.Effect<void, NotEnded> =>
  Effect.try({
    try: () => void (Holder.isAlive(holder) && process.kill(holder.pid, name)),
    catch: (cause) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause))
  }).pipe(
    // It ended between the look and the signal.
    Effect.catch((code) =>
      code === "ESRCH" ? Effect.void : new NotEnded({ pid: holder.pid, detail: `${name}: ${code}` })
    )
  )
