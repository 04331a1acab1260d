/** The agent that answers with the text it was given: for the first run, the demo and tests of the way. */
import { Layer, Stream } from "effect"
import { Agent } from "./Agent.ts"

/** One reply a message; a cron job's prompt is echoed like a message. */
export const layer: Layer.Layer<Agent> = Layer.succeed(
  Agent,
  Agent.of({ turn: ({ messages }) => Stream.fromIterable(messages.map(({ text }) => ({ text }))) })
)
