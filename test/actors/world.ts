/** The real graph over a database in memory, for tests on virtual time. */
import { Clock, Duration, Effect, Layer, Stream } from "effect"
import { Feed } from "../../src/actors/Feed.ts"
import { Inbox } from "../../src/actors/Inbox.ts"
import { Notices } from "../../src/actors/Notices.ts"
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
import { Database } from "../../src/store/Database.ts"
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
  readonly concurrentTurns?: number
  readonly alarmAfter?: Duration.Duration
  readonly escalateAfter?: Duration.Duration
  /** One that outlives this world; absent: one of its own. */
  readonly database?: Database["Service"]
}

export const world = (options: WorldOptions = {}) =>
  Supervisor.layer({
    drain: options.drain ?? Duration.seconds(20),
    alarmAfter: options.alarmAfter ?? Duration.minutes(2),
    escalateAfter: options.escalateAfter ?? null
  }).pipe(
    Layer.provideMerge(Inbox.layer({ scope: "chat" })),
    Layer.provideMerge(
      Sessions.layer({
        turnTimeout: options.turnTimeout ?? Duration.minutes(10),
        admins: [],
        concurrentTurns: options.concurrentTurns ?? 256
      })
    ),
    Layer.provideMerge(Outbox.layer({ expire: options.expire ?? Duration.hours(24) })),
    Layer.provideMerge(Pauses.layer),
    Layer.provideMerge(Notices.layer({ gateway: "evergate" })),
    Layer.provideMerge(Layer.mergeAll(Supervision.layer, Feed.layer, Roster.layer)),
    Layer.provideMerge(Layer.mergeAll(InboxStore.layer, OutboxStore.layer, JobStore.layer, LinkStore.layer)),
    Layer.provideMerge(options.database === undefined ? Store.layerMemory : Layer.succeed(Database, options.database)),
    Layer.provideMerge(agentOf(options.answer ?? echo))
  )

/** Lets everything that is ready run. Nothing here waits for a real clock, so what is left then waits for time. */
export const quiet = Effect.repeat(Effect.yieldNow, { times: 1_000 })

/** Runs a test in a world of its own; what it attached leaves before the world ends. */
export const inWorld =
  (options: WorldOptions = {}) =>
  <A, E, R>(test: Effect.Effect<A, E, R>) =>
    test.pipe(Effect.scoped, Effect.provide(world(options)))

/** Runs a test on a wall clock that can be moved apart from elapsed time, as sleep and corrections do. */
export const withJumps = <A, E, R>(
  test: (jump: (millis: number) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    let offset = 0
    const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + offset
    const moved: Clock.Clock = {
      ...clock,
      currentTimeMillisUnsafe,
      currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
    }
    return test((millis) => void (offset += millis)).pipe(Effect.provideService(Clock.Clock, moved))
  })
