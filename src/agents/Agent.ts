/** The port on the right edge: what answers. */
import type { Stream } from "effect"
import { Context } from "effect"
import type { AgentError } from "../domain/Errors.ts"
import type { Reply, Turn } from "../domain/Turn.ts"

export class Agent extends Context.Service<
  Agent,
  {
    /** Replies in order. The stream is interrupted when its time is over; a failure is a failed turn and is not repeated. */
    readonly turn: (turn: Turn) => Stream.Stream<Reply, AgentError>
  }
>()("evergate/agents/Agent") {}
