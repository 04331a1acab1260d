/** Everything that a simulation plays with: the far ends, the store, the agent, and the life of the gateway among them. */
import { Duration, Effect } from "effect"
import type { Scope } from "effect"
import type { Address } from "../../domain/Address.ts"
import { PlatformId } from "../../domain/Address.ts"
import type { Shape } from "../FakePlatform.ts"
import type { Chance } from "./chance.ts"
import * as FakeFarEnd from "./fakeFarEnd.ts"
import type { FarEnd, Spoken } from "./farEnd.ts"
import * as FeishuFarEnd from "./feishuFarEnd.ts"
import type { Alteration, Life } from "./Life.ts"
import * as Lives from "./Life.ts"
import type { PlayedAgent } from "./playedAgent.ts"
import { makePlayedAgent } from "./playedAgent.ts"
import type { Even } from "./timetables.ts"
import { makeTimetables } from "./timetables.ts"
import type { Surroundings } from "./witness.ts"

export interface World extends Surroundings {
  readonly chance: Chance
  readonly farEnds: ReadonlyArray<FarEnd>
  readonly agent: PlayedAgent
  readonly timetables: ReadonlyArray<Even>
  /** The gateway that runs; null while there is none. */
  life: Life | null
  readonly begin: Effect.Effect<void>
  /** What was said and not reckoned up yet. */
  spoken: Array<Spoken>
  /** Faults that end by themselves, and when, in virtual milliseconds. */
  passing: ReadonlyArray<Passing>
  /** When a clock jumped or stood, or the store failed: what has to be on time counts from there. */
  disturbedAt: number
  /** How often each message was taken. */
  readonly taken: Map<string, number>
  /** The newest letter that a chat received. */
  readonly newest: Map<string, number>
}

export interface Passing {
  readonly at: number
  readonly undo: Effect.Effect<void>
}

export interface Plan {
  /** Beside them there are as many platforms in memory as make three. */
  readonly feishus: number
  readonly sessions: number
}

const platforms = 3
const shapes: ReadonlyArray<Shape> = ["socket", "poll", "resume", "reply"]

export const make = Effect.fnUntraced(function* (
  plan: Plan,
  chance: Chance,
  surroundings: Surroundings,
  alteration: Alteration
): Effect.fn.Return<World, never, Scope.Scope> {
  const farEnds = yield* makeFarEnds(plan, chance)
  const chats = farEnds.flatMap(({ id, chats }) => chats.map((chat): Address => ({ platform: id, chat, thread: null })))
  const agent = makePlayedAgent(chance, surroundings)
  const [first, ...others] = chats
  const timetables = first === undefined ? [] : makeTimetables(chance, [first, ...others], surroundings.time.wall())
  const world: World = {
    ...surroundings,
    chance,
    farEnds,
    agent,
    timetables,
    life: null,
    begin: Effect.suspend(() =>
      Effect.map(
        Lives.begin({
          ...surroundings,
          farEnds,
          agent,
          alteration,
          jobs: timetables.map(({ job }) => job),
          gateway: { turnTimeout }
        }),
        (life) => void (world.life = life)
      )
    ),
    spoken: [],
    passing: [],
    disturbedAt: 0,
    taken: new Map(),
    newest: new Map()
  }
  return world
})

/** Short, so that an agent that hangs does not hold up a whole simulation. */
const turnTimeout = Duration.minutes(2)

const makeFarEnds = (plan: Plan, chance: Chance) => {
  const drawn = chance.shuffle(shapes)
  return Effect.forEach(
    Array.from({ length: platforms }, (_, index) => index),
    (index) => {
      const mine = Array.from({ length: plan.sessions }, (_, chat) => chat).filter((chat) => chat % platforms === index)
      const chats = mine.map((chat) => `chat-${chat}`)
      const id = PlatformId.make(`platform-${index}`)
      const shape = drawn[index] ?? "socket"
      return index < plan.feishus
        ? FeishuFarEnd.make({ id, chats }, chance)
        : FakeFarEnd.make({ id, shape, chats, remembers: shape !== "reply" }, chance)
    }
  )
}
