/** The real graph over a database in memory, for tests on virtual time. */
import { Duration, Effect, Layer, Stream } from "effect"
import { Feed } from "../../src/actors/Feed.ts"
import { Inbox } from "../../src/actors/Inbox.ts"
import { Outbox } from "../../src/actors/Outbox.ts"
import { Pauses } from "../../src/actors/Pauses.ts"
import { Roster } from "../../src/actors/Roster.ts"
import { Sessions } from "../../src/actors/Sessions.ts"
import { Supervision } from "../../src/actors/Supervision.ts"
import { Supervisor } from "../../src/actors/Supervisor.ts"
import { Agent } from "../../src/agents/Agent.ts"
import type { AgentError } from "../../src/domain/Errors.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import * as Store from "../../src/layers/Store.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"

/** Answers with the text that it was given. */
export const echo = (turn: Turn): Effect.Effect<string> => Effect.succeed(`echo: ${turn.messages[0]?.text ?? ""}`)

export const agentOf = (answer: (turn: Turn) => Effect.Effect<string, AgentError>): Layer.Layer<Agent> =>
  Layer.succeed(Agent, Agent.of({ turn: (turn) => Stream.fromEffect(Effect.map(answer(turn), (text) => ({ text }))) }))

export interface WorldOptions {
  readonly answer?: (turn: Turn) => Effect.Effect<string, AgentError>
  readonly drain?: Duration.Duration
  readonly expire?: Duration.Duration
  readonly turnTimeout?: Duration.Duration
  readonly escalateAfter?: Duration.Duration
}

export const world = (options: WorldOptions = {}) =>
  Supervisor.layer({
    drain: options.drain ?? Duration.seconds(20),
    alarmAfter: Duration.minutes(2),
    escalateAfter: options.escalateAfter ?? null
  }).pipe(
    Layer.provideMerge(Inbox.layer({ scope: "chat" })),
    Layer.provideMerge(Sessions.layer({ turnTimeout: options.turnTimeout ?? Duration.minutes(10), admins: [] })),
    Layer.provideMerge(Outbox.layer({ expire: options.expire ?? Duration.hours(24) })),
    Layer.provideMerge(Pauses.layer),
    Layer.provideMerge(Layer.mergeAll(Supervision.layer, Feed.layer, Roster.layer)),
    Layer.provideMerge(Layer.mergeAll(InboxStore.layer, OutboxStore.layer, JobStore.layer, LinkStore.layer)),
    Layer.provideMerge(Store.layerMemory),
    Layer.provideMerge(agentOf(options.answer ?? echo))
  )

/** Lets everything that is ready run. Nothing here waits for a real clock, so what is left then waits for time. */
export const quiet = Effect.repeat(Effect.yieldNow, { times: 1_000 })
