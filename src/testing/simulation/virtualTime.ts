/**
 * Time and order of a simulation. Time passes only when nothing is ready to run; what runs next of what is ready is drawn
 * by a seeded generator, so one seed is one course of events and another seed another. Everything runs in one synchronous
 * loop: what is simulated must know no promise, no timer and no clock but Effect's.
 *
 * Each process has a scheduler and a clock of its own. A killed one is never run again, finalizers included.
 */
import { Clock, Context, Duration, Effect, Exit, Scheduler } from "effect"
import type { Fiber } from "effect"
import type { Chance } from "./chance.ts"
import { makeTimers } from "./timers.ts"

/** What dies as one: a life of the gateway, or the world around it. */
export interface Process {
  /** Provide it to what runs in the process; its fibers inherit it. */
  readonly context: Context.Context<never>
  readonly isAlive: () => boolean
  /** Sleeps that nobody has woken from. */
  readonly sleeping: () => number
  /** Nothing of it runs from now on. */
  readonly kill: () => void
}

export interface VirtualTime {
  readonly process: () => Process
  /** Milliseconds since the beginning, which no correction moves. */
  readonly elapsed: () => number
  /** The wall clock, in Unix milliseconds. */
  readonly wall: () => number
  /** Moves the wall clock alone, as a time daemon does, or the sleep of a machine. */
  readonly jump: (millis: number) => void
  /** Lets time pass while nothing runs, as in a process that is stopped; timers are late afterwards. */
  readonly stall: (millis: number) => void
  /** Runs the effect to its end, in a process of its own. A course that stands still, or never ends, dies with its reason. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Exit.Exit<A, E>
  /** How many tasks have run: the same for the same seed. */
  readonly tasks: () => number
}

/** A fiber gives way after so many operations, so that one that never waits is noticed. */
const mostOperations = 100_000
/** Tasks at one instant; past it something goes round in circles without waiting. */
const mostAtOnce = 200_000

interface Owner {
  alive: boolean
  sleeping: number
}

interface Task {
  readonly owner: Owner
  readonly run: () => void
}

export const make = (chance: Chance, startsAt: number): VirtualTime => {
  const ready: Array<Task> = []
  const timers = makeTimers<Task>()
  let now = 0
  let offset = startsAt
  let tasks = 0

  /** Runs what is ready, and what becomes ready by it. */
  const drain = (): Exit.Exit<never> | null => {
    for (let count = 0; ready.length > 0; count++) {
      if (count > mostAtOnce) return Exit.die(new Error(`time stands still at ${now} ms: something never waits`))
      const [task] = ready.splice(chance.below(ready.length), 1)
      if (task?.owner.alive !== true) continue
      tasks++
      task.run()
    }
    return null
  }

  const clockOf = (owner: Owner): Clock.Clock => {
    const wall = () => now + offset
    const wallNanos = () => BigInt(Math.round(wall() * 1_000_000))
    const nanos = () => BigInt(Math.round(now * 1_000_000))
    const sleep = (millis: number) =>
      Effect.callback<void>((resume) => {
        const cancel = timers.add(now + millis, { owner, run: () => resume(Effect.void) })
        owner.sleeping++
        return Effect.sync(() => {
          if (cancel()) owner.sleeping--
        })
      })
    return {
      currentTimeMillisUnsafe: () => Math.floor(wall()),
      currentTimeMillis: Effect.sync(() => Math.floor(wall())),
      currentTimeNanosUnsafe: wallNanos,
      currentTimeNanos: Effect.sync(wallNanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) => {
        const millis = Duration.toMillis(duration)
        if (millis <= 0) return Effect.yieldNow
        return Number.isFinite(millis) ? sleep(millis) : Effect.never
      }
    }
  }

  const process = (): Process => {
    const owner: Owner = { alive: true, sleeping: 0 }
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: (fiber) => fiber.currentOpCount >= mostOperations,
      makeDispatcher: () => ({
        scheduleTask: (run) => {
          if (owner.alive) ready.push({ owner, run })
        },
        flush: () => void drain()
      })
    }
    return {
      context: Context.make(Scheduler.Scheduler, scheduler).pipe(Context.add(Clock.Clock, clockOf(owner))),
      isAlive: () => owner.alive,
      sleeping: () => owner.sleeping,
      kill: () => {
        owner.alive = false
        timers.drop((task) => task.owner === owner)
      }
    }
  }

  /** Wakes who is due next; false when nobody sleeps. */
  const wakeNext = (): boolean => {
    const due = timers.next()
    if (due === null) return false
    now = Math.max(now, due.at)
    for (const task of due.items) {
      ready.push(task)
      task.owner.sleeping--
    }
    return true
  }

  const finish = <A, E>(fiber: Fiber.Fiber<A, E>): Exit.Exit<A, E> => {
    while (true) {
      const stuck = drain()
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return exit
      if (stuck !== null) return stuck
      if (!wakeNext()) return Exit.die(new Error(`everybody waits for somebody at ${now} ms`))
    }
  }

  return {
    process,
    elapsed: () => now,
    wall: () => now + offset,
    jump: (millis) => void (offset += millis),
    stall: (millis) => void (now += millis),
    run: (effect) => finish(Effect.runFork(Effect.provideContext(effect, process().context))),
    tasks: () => tasks
  }
}
