/** What standard output is, for commands that go on writing to it. */
import { Effect } from "effect"

export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stdout.isTTY === true)

/** Nobody reads any more: the other end of the pipe is gone. */
export const isGone: Effect.Effect<boolean> = Effect.sync(() => process.stdout.destroyed)
