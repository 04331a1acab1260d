/** What standard output is, for commands that go on writing to it. */
import { Effect } from "effect"

export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stdout.isTTY === true)

/** Returns when nobody reads any more: the other end of the pipe is gone. */
export const readerGone: Effect.Effect<void> = Effect.callback((resume) => {
  const gone = () => resume(Effect.void)
  process.stdout.once("error", gone)
  return Effect.sync(() => process.stdout.off("error", gone))
})
