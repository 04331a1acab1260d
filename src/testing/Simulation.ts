/**
 * The real graph on virtual time, among platforms, an agent, a store and a clock that fail by seed. The same seed is the
 * same course of events; what must hold is looked at after each step, and what was promised is reckoned up in each calm.
 */
import { Cause, Duration, Effect, Exit, Random, References } from "effect"
import type { Broken } from "./simulation/book.ts"
import { makeBook } from "./simulation/book.ts"
import { makeChance } from "./simulation/chance.ts"
import { pass, strike } from "./simulation/faults.ts"
import { check } from "./simulation/laws.ts"
import type { Alteration } from "./simulation/Life.ts"
import { reckon } from "./simulation/reckoning.ts"
import { makeSharedStore } from "./simulation/sharedStore.ts"
import { say } from "./simulation/speech.ts"
import * as VirtualTime from "./simulation/virtualTime.ts"
import * as World from "./simulation/World.ts"

export { faults } from "./simulation/faults.ts"
export type { Broken, Law } from "./simulation/book.ts"
export type { Alteration } from "./simulation/Life.ts"

export interface Options {
  readonly seed: number
  /** Of virtual time. */
  readonly hours: number
  /** 20 unless given. */
  readonly sessions?: number
  /** Parts that are played in place of the product's own. */
  readonly alteration?: Alteration
}

export interface Report {
  readonly seed: number
  readonly hours: number
  /** How many of the platforms were the real Feishu adapter. */
  readonly feishus: number
  /** Null: every law held. */
  readonly broken: Broken | null
  /** How often each fault came. */
  readonly faults: ReadonlyMap<string, number>
  readonly messages: number
  /** The last steps, oldest first. */
  readonly steps: ReadonlyArray<string>
  /** The same for the same course of events. */
  readonly fingerprint: string
}

/** What a person needs of a course that broke a law: which one, how it came to it, and how to see it again. */
export const explain = ({ broken, hours, seed, steps }: Report): string =>
  broken === null
    ? `seed ${seed}: every law held for ${hours} h`
    : [
        `seed ${seed} broke the law "${broken.law}" after ${Math.round(broken.at / 1000)} s: ${broken.detail}`,
        ...steps.map((step) => `  ${step}`),
        `replay: npm run simulate -- --seed ${seed} --days ${hours / 24}`
      ].join("\n")

/** 2026-11-30, a Monday. */
const beginsAt = 1_796_000_400_000
const hour = 3_600_000

/** Runs at once and to the end: no real time passes but that of computing. */
export const run = (options: Options): Effect.Effect<Report> =>
  Effect.sync(() => {
    const { seed, hours, alteration = {} } = options
    const time = VirtualTime.make(makeChance(seed), beginsAt)
    const book = makeBook(time)
    const store = makeSharedStore()
    const chance = makeChance(seed ^ 0x5eed)
    // Half of the seeds know Feishu, as one platform or as two.
    const feishus = seed % 2 === 0 ? 0 : chance.between(1, 2)
    const plan = { feishus, sessions: options.sessions ?? 20 }
    const course = World.make(plan, chance, { time, book, store }, alteration).pipe(
      Effect.flatMap((world) => live(world, hours * hour)),
      Effect.scoped,
      Random.withSeed(seed),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
    const exit = time.run(course)
    store.close()
    if (Exit.isFailure(exit)) book.violate("time goes on", Cause.pretty(exit.cause))
    return {
      seed,
      hours,
      feishus,
      broken: book.broken(),
      faults: book.counts(),
      messages: book.numbered(),
      steps: book.steps(),
      fingerprint: `${book.fingerprint().toString(16)}-${time.tasks()}`
    }
  })

/** Storms and calms in turn, then a stop. */
const live = Effect.fnUntraced(function* (world: World.World, until: number) {
  const { book, chance, time } = world
  const marks = { entry: 0, letter: 0, wall: 0 }
  yield* world.begin
  yield* Effect.sleep("1 second")
  while (time.elapsed() < until && book.broken() === null) {
    yield* storm(world, chance.happens(0.7) ? slow : dense)
    if (book.broken() === null) yield* reckon(world, marks)
  }
  if (book.broken() !== null || world.life === null) return
  yield* world.life.stop
})

interface Storm {
  readonly leastMillis: number
  readonly mostMillis: number
  /** The longest time between two things that happen. */
  readonly paceMillis: number
}

/** One fault at a time, so that each is met in full. */
const slow: Storm = { leastMillis: 300_000, mostMillis: 1_500_000, paceMillis: 25_000 }
/** Everything at once, so that faults meet each other. */
const dense: Storm = { leastMillis: 20_000, mostMillis: 90_000, paceMillis: 2_000 }

const storm = Effect.fnUntraced(function* (world: World.World, { leastMillis, mostMillis, paceMillis }: Storm) {
  const { book, chance, farEnds, time } = world
  const until = time.elapsed() + chance.between(leastMillis, mostMillis)
  book.note(`storm, something every ${paceMillis} ms at most`)
  while (time.elapsed() < until && book.broken() === null) {
    yield* Effect.sleep(Duration.millis(chance.between(1, paceMillis)))
    yield* pass(world)
    const farEnd = farEnds[chance.below(farEnds.length)]
    if (farEnd !== undefined && chance.happens(0.5)) yield* say(world, farEnd)
    else yield* strike(world)
    yield* check(world)
  }
})
