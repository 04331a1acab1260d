/** What goes wrong in a simulation, by name: each does its harm once, at a moment that chance chose. */
import { Context, Duration, Effect } from "effect"
import { Supervisor } from "../../actors/Supervisor.ts"
import type { FarEnd } from "./farEnd.ts"
import { refusals } from "./farEnd.ts"
import type { StoreTrouble } from "./sharedStore.ts"
import { say } from "./speech.ts"
import type { World } from "./World.ts"

/** How much of all that happens each is. */
const weights = {
  drop: 6,
  "silence of the path": 4,
  "silence of the session": 4,
  refusal: 5,
  flapping: 2,
  "planned goodbye": 5,
  "reconnect by hand": 2,
  "rough sends": 4,
  "slow agent": 3,
  "failing agent": 3,
  "failing store": 3,
  duplicate: 8,
  "clock jump": 2,
  "stopped process": 2,
  "kill and restart": 3,
  stop: 3
}

export type Fault = keyof typeof weights

/** All of them: a run in which one never came has shown less than it says. The keys of a literal record are its type's. */
export const faults = Object.keys(weights) as ReadonlyArray<Fault>

const bag = faults.flatMap((fault) => Array.from({ length: weights[fault] }, () => fault))

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** One fault, drawn by its weight. */
export const strike = (world: World): Effect.Effect<void> => {
  const { book, chance, farEnds } = world
  const fault = bag[chance.below(bag.length)] ?? "drop"
  const farEnd = farEnds[chance.below(farEnds.length)]
  if (farEnd === undefined) return Effect.void
  book.count(fault)
  book.note(`${fault} (${farEnd.id}, ${farEnd.kind})`)
  return harm(fault, world, farEnd)
}

const harm = (fault: Fault, world: World, farEnd: FarEnd): Effect.Effect<void> => {
  const { chance, time } = world
  switch (fault) {
    case "drop":
      return farEnd.drop
    case "silence of the path":
      return silence(world, farEnd, "path")
    case "silence of the session":
      return silence(world, farEnd, "session")
    case "refusal":
      return Effect.andThen(farEnd.refuse(chance.pick(refusals)), upTo(world, 2 * minute, farEnd.refuse(null)))
    case "flapping":
      return flap(world, farEnd)
    case "planned goodbye":
      return farEnd.goodbye
    case "reconnect by hand":
      return byHand(world, farEnd)
    case "rough sends":
      return Effect.andThen(farEnd.rough(true), upTo(world, 10 * minute, farEnd.rough(false)))
    case "slow agent":
      return mood(world, "slow")
    case "failing agent":
      return mood(world, "failing")
    case "failing store":
      return failStore(world)
    case "duplicate":
      return farEnd.repeat
    case "clock jump":
      return disturb(world, () => time.jump(jumpOf(world)))
    case "stopped process":
      return disturb(world, () => time.stall(chance.between(second, chance.pick([minute, minute, 10 * minute]))))
    case "kill and restart":
      return Effect.andThen(midst(world, farEnd), restart(world, "kill"))
    case "stop":
      return Effect.andThen(midst(world, farEnd), restart(world, "stop"))
  }
}

/** It ends by itself within this time. */
const upTo = (world: World, millis: number, undo: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.sync(() => {
    world.passing = [...world.passing, { at: world.time.elapsed() + world.chance.between(second, millis), undo }]
  })

/** Ends what has had its time by now, or by a later moment. */
export const pass = (world: World, until = world.time.elapsed()): Effect.Effect<void> =>
  Effect.suspend(() => {
    const over = world.passing.filter(({ at }) => at <= until)
    world.passing = world.passing.filter(({ at }) => at > until)
    return Effect.forEach(over, ({ undo }) => undo, { discard: true })
  })

const mood = (world: World, which: "slow" | "failing") => {
  const set = (on: boolean) => Effect.sync(() => void (world.agent.mood[which] = on))
  return Effect.andThen(set(true), upTo(world, 10 * minute, set(false)))
}

const silence = Effect.fnUntraced(function* (world: World, farEnd: FarEnd, clock: "path" | "session") {
  const newest = Array.from(world.life?.witnesses.get(farEnd.id)?.links ?? []).at(-1)
  if (newest !== undefined) newest.silentSince ??= world.time.elapsed()
  yield* farEnd.silence(clock)
})

/** More in a minute than a backoff that grows lets happen. */
const drops = 90

/** Links come up and are lost at once, over and over. */
const flap = Effect.fnUntraced(function* ({ chance }: World, farEnd: FarEnd) {
  for (let i = 0; i < drops; i++) {
    yield* farEnd.drop
    yield* Effect.sleep(Duration.millis(chance.between(50, second)))
  }
})

const byHand = ({ life }: World, { id }: FarEnd): Effect.Effect<void> => {
  const services = life?.services() ?? null
  return services === null ? Effect.void : Effect.asVoid(Context.get(services, Supervisor).reconnect(id))
}

const failStore = (world: World): Effect.Effect<void> => {
  const { chance, store } = world
  const set = (trouble: StoreTrouble | null) => disturb(world, () => store.trouble(trouble))
  return Effect.andThen(set(chance.pick(["writes", "answers", "everything"])), upTo(world, minute, set(null)))
}

const disturb = (world: World, how: () => void): Effect.Effect<void> =>
  Effect.sync(() => {
    how()
    world.disturbedAt = world.time.elapsed()
  })

/** A time daemon's correction, or the sleep of a machine. */
const jumpOf = ({ chance }: World): number =>
  chance.happens(0.3) ? chance.between(minute, 8 * hour) : chance.between(-10 * minute, 10 * minute)

/** Something is under way, and has come as far as chance will have it. */
const midst = Effect.fnUntraced(function* (world: World, farEnd: FarEnd) {
  yield* say(world, farEnd)
  for (let i = world.chance.below(60); i > 0; i--) yield* Effect.yieldNow
})

/** The life ends, the world goes on without it for a while, and another begins. */
const restart = Effect.fnUntraced(function* (world: World, how: "stop" | "kill") {
  const { book, chance, life } = world
  if (life === null) return
  world.life = null
  yield* life[how]
  book.note(`it is down (${how})`)
  const down = chance.happens(0.2) ? chance.between(minute, hour) : chance.between(1, 30 * second)
  yield* Effect.sleep(Duration.millis(down))
  yield* world.begin
  book.note("it is up again")
})
