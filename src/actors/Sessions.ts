/** Session key → its actor, alive only while its rows wait. Inbox → **Sessions** → Session. */
import type { Effect } from "effect"
import { Context } from "effect"
import type { SessionKey } from "../domain/Session.ts"

export class Sessions extends Context.Service<
  Sessions,
  {
    /** Something waits for this session. Returns at once; a session that is at work looks again before it rests. */
    readonly wake: (session: SessionKey) => Effect.Effect<void>
    /** How many are at work. */
    readonly active: Effect.Effect<number>
    /** Starts no further turn and returns when the running ones have ended. */
    readonly settle: Effect.Effect<void>
  }
>()("evergate/actors/Sessions") {}
