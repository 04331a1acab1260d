/** How long this process has been there, its own start included: what a command has already taken of the caller's time. */
import { Effect } from "effect"

export const uptimeMillis: Effect.Effect<number> = Effect.sync(() => performance.now())
