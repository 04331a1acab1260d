/** One life of the gateway: the real graph in a process of its own, until it is stopped, or killed. */
import { Context, Effect, Exit, Fiber, Layer, Option } from "effect"
import { Supervisor } from "../../actors/Supervisor.ts"
import type { PlatformId } from "../../domain/Address.ts"
import type { Job } from "../../domain/Job.ts"
import * as Gateway from "../../layers/Gateway.ts"
import type { Platform } from "../../platforms/Platform.ts"
import { PlatformHost } from "../../platforms/Platform.ts"
import * as Census from "../Census.ts"
import type { FarEnd } from "./farEnd.ts"
import type { PlayedAgent } from "./playedAgent.ts"
import type { Process } from "./virtualTime.ts"
import type { Surroundings, Witness } from "./witness.ts"
import { makeWitness, witnessed } from "./witness.ts"

export interface Life {
  /** When it began, in virtual milliseconds. */
  readonly bornAt: number
  readonly witnesses: ReadonlyMap<PlatformId, Witness>
  /** The running graph's services; null until it stands. */
  readonly services: () => Context.Context<Gateway.Gateway> | null
  /** As a signal does; returns when nothing is left, or it has taken too long. */
  readonly stop: Effect.Effect<void>
  /** As `kill -9` does: nothing of it happens any more, finalizers included. */
  readonly kill: Effect.Effect<void>
}

/** What a simulation may play in place of the product's own: where a planted bug goes. */
export interface Alteration {
  readonly parts?: (parts: Gateway.Parts) => Gateway.Parts
  readonly platform?: (platform: Platform) => Platform
}

export interface LifeOptions extends Surroundings {
  readonly farEnds: ReadonlyArray<FarEnd>
  readonly jobs: ReadonlyArray<Job>
  readonly agent: PlayedAgent
  readonly gateway: Omit<Gateway.GatewayOptions, "jobs">
  readonly alteration: Alteration
}

/** `shutdown.drain` and 5 s. */
const stopWithin = "25 seconds"

/** Begins a life; it is up a moment later. */
export const begin = Effect.fnUntraced(function* (options: LifeOptions): Effect.fn.Return<Life> {
  const { time, store, farEnds } = options
  const life = time.process()
  const census = yield* Census.make
  const witnesses = new Map<PlatformId, Witness>(farEnds.map(({ id }) => [id, makeWitness()]))
  const platforms = yield* Effect.forEach(farEnds, ({ id, adapter }) =>
    Effect.map(adapter, (platform) => witnessed(platform, witnesses.get(id) ?? makeWitness(), life, options))
  )
  let services: Context.Context<Gateway.Gateway> | null = null

  const whole = Layer.build(graph(options, platforms, life)).pipe(
    Effect.tap((built) => Effect.sync(() => (services = built))),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(census.layer),
    Effect.provideContext(life.context)
  )
  const fiber = yield* Effect.forkDetach(whole)

  const stop = Effect.gen(function* () {
    for (const witness of witnesses.values()) witness.stoppingAt = time.elapsed()
    const ended = yield* Effect.timeoutOption(Fiber.await(fiber.pipe(interrupted)), stopWithin)
    services = null
    if (Option.isNone(ended)) return options.book.violate("a stop is bounded", `it took more than ${stopWithin}`)
    if (Exit.isFailure(ended.value) && !Exit.hasInterrupts(ended.value)) {
      options.book.violate("a stop leaves nothing", `it failed: ${String(ended.value)}`)
    }
    // What the end of the graph has woken goes to rest.
    yield* Effect.sleep("1 millis")
    yield* nothingLeft(options, { life, witnesses, alive: yield* census.alive })
  })
  const kill = Effect.gen(function* () {
    life.kill()
    services = null
    store.crash()
    yield* Effect.forEach(farEnds, ({ abandon }) => abandon, { discard: true })
  })
  return { bornAt: time.elapsed(), witnesses, services: () => services, stop, kill }
})

/** Tells it to end; who wants to know when it has, awaits it. */
const interrupted = <A, E>(fiber: Fiber.Fiber<A, E>): Fiber.Fiber<A, E> => {
  fiber.interruptUnsafe()
  return fiber
}

/** As `layers/Service` has it: adapters are on top, side by side. */
const graph = (options: LifeOptions, platforms: ReadonlyArray<Platform>, life: Process) => {
  const { alteration, agent, gateway, jobs, store } = options
  const { parts = same, platform = same } = alteration
  const [first, ...others] = platforms.map((each) =>
    Layer.effectDiscard(Effect.flatMap(PlatformHost, (host) => host.attach(platform(each))))
  )
  const adapters = first === undefined ? Layer.empty : Layer.mergeAll(first, ...others)
  return adapters.pipe(
    Layer.provideMerge(Gateway.compose(parts(Gateway.parts({ ...gateway, jobs })))),
    Layer.provide(agent.layer()),
    Layer.provide(store.layer(life))
  )
}

const same = <A>(value: A): A => value

interface Remains {
  readonly life: Process
  readonly witnesses: ReadonlyMap<PlatformId, Witness>
  readonly alive: number
}

const nothingLeft = Effect.fnUntraced(function* ({ book, farEnds }: LifeOptions, { life, witnesses, alive }: Remains) {
  const sum = (count: (witness: Witness) => number) =>
    Array.from(witnesses.values(), count).reduce((sum, some) => sum + some, 0)
  const sockets = yield* Effect.forEach(farEnds, (farEnd) => farEnd.sockets)
  const left = {
    fibers: alive,
    timers: life.sleeping(),
    attempts: sum(({ inFlight }) => inFlight),
    links: sum(({ links }) => links.size),
    sockets: sockets.reduce((sum, open) => sum + open, 0)
  }
  const named = Object.entries(left).filter(([, count]) => count !== 0)
  if (named.length > 0) {
    book.violate("a stop leaves nothing", named.map(([what, count]) => `${count} ${what}`).join(", "))
  }
})

/** Where each link stands, as the status says it. */
export const links = Effect.fnUntraced(function* (life: Life) {
  const services = life.services()
  return services === null ? [] : yield* Context.get(services, Supervisor).links
})
