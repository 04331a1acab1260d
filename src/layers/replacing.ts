/**
 * What a gateway holds before it begins: its home, and every account that it is going to be connected to. By `run --replace`
 * who holds one of them is ended first, so that the two are never connected at once. Not where a service manager would start
 * the other again, nor where the other itself has just taken over: two that replace each other would go on for ever.
 */
import { Clock, Duration, Effect, Option, Schedule, Schema, Scope } from "effect"
import type { Settings } from "../config/Settings.ts"
import type { AccountHeld } from "./AccountLocks.ts"
import * as AccountLocks from "./AccountLocks.ts"
import * as Ending from "./ending.ts"
import * as Holder from "./holder.ts"
import type { HomeHeld, HomeUnusable } from "./HomeLock.ts"
import * as HomeLock from "./HomeLock.ts"
import * as Managed from "./managed.ts"

/** The other stays, and this one ends with 73. */
export class NotReplaced extends Schema.TaggedError<NotReplaced>()("NotReplaced", {
  pid: Schema.Int,
  detail: Schema.String
}) {
  override get message() {
    return `process ${this.pid} was not replaced: ${this.detail}`
  }
}

/** A stop takes at most `shutdown.drain` and this. */
const beyondDrain = Duration.seconds(5)

type Held = HomeHeld | AccountHeld
/** Takes a lock, with what it is to say of this gateway. */
type Take = (facts: Pick<Holder.Facts, "replacedAt">) => Effect.Effect<void, Held | HomeUnusable, Scope.Scope>

/** Holds the home and the accounts of all enabled platforms until the scope closes; gives the accounts, to be let go one by one. */
export const hold = Effect.fnUntraced(function* (
  { home, platforms, shutdown: { drain } }: Settings,
  replace: boolean
): Effect.fn.Return<AccountLocks.Locked, Held | HomeUnusable | NotReplaced, Scope.Scope> {
  const scope = yield* Effect.scope
  const locked = new Map<string, Scope.Closeable>()
  const stopMillis = Duration.toMillis(Duration.sum(drain, beyondDrain))
  const gateway: Holder.Running = { managed: yield* Managed.here, stopMillis }
  if (replace) yield* mayReplace(home, platforms)
  const take = (lock: Take) => (replace ? replacing(lock) : patiently(lock({})))
  yield* take((facts) => HomeLock.acquire(home, { gateway, ...facts }))
  for (const platform of platforms.filter(({ enabled }) => enabled)) {
    const path = AccountLocks.pathOf(platform)
    if (path === null) continue
    const own = yield* Scope.fork(scope)
    yield* Scope.provide(
      take((facts) => AccountLocks.acquire(platform, { home, ...facts })),
      own
    )
    locked.set(path, own)
  }
  return locked
})

const isCommand = (error: Held | HomeUnusable): boolean =>
  error._tag === "HomeHeld" && Holder.isHere(error.holder) && error.holder.gateway === undefined

/** A command holds a home for a moment, which is no reason to stay down. */
const patiently = <A, R>(taking: Effect.Effect<A, Held | HomeUnusable, R>) =>
  Effect.retry(taking, {
    while: isCommand,
    schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))
  })

const replacing = (lock: Take) => {
  const inItsPlace = ({ holder }: Held) =>
    Effect.gen(function* () {
      yield* endOther(holder)
      return yield* lock({ replacedAt: yield* Clock.currentTimeMillis })
    })
  return patiently(lock({})).pipe(Effect.catchTags({ HomeHeld: inItsPlace, AccountHeld: inItsPlace }))
}

/** The lock of an account names the home, whose own lock says the rest. */
const gatewayOf = ({ gateway, home, pid }: Holder.Holder): Effect.Effect<Holder.Running | undefined, HomeUnusable> =>
  gateway !== undefined || home === undefined
    ? Effect.succeed(gateway)
    : Effect.map(HomeLock.holder(home), (found) => Option.getOrUndefined(found)).pipe(
        Effect.map((found) => (found?.pid === pid ? found.gateway : undefined))
      )

/** Two that took turns faster than this would do so for ever. */
const settledMillis = 5 * 60_000

/** What has to be known of a holder to end it; fails where it is to stay. */
const replaceable = Effect.fnUntraced(function* (holder: Holder.Holder) {
  const { host, pid, replacedAt } = holder
  const refuse = (detail: string) => new NotReplaced({ pid, detail })
  if (!Holder.isHere(holder)) return yield* refuse(`it runs on ${host}`)
  const gateway = yield* gatewayOf(holder)
  if (gateway === undefined) return yield* refuse("it is no gateway")
  if (gateway.managed !== null) {
    const { manager } = gateway.managed
    return yield* refuse(`${manager} would start it again; stop it there, or uninstall the service`)
  }
  const now = yield* Clock.currentTimeMillis
  if (replacedAt !== undefined && Math.abs(now - replacedAt) < settledMillis) {
    return yield* refuse("it has itself replaced another less than 5 minutes ago; find out who starts both")
  }
  return gateway
})

/** All of them are looked at before one is ended: who cannot take over everything takes nothing from anybody. */
const mayReplace = Effect.fnUntraced(function* (home: string, platforms: Settings["platforms"]) {
  const ofHome = yield* HomeLock.holder(home)
  const ofAccounts = yield* Effect.forEach(
    platforms.filter(({ enabled }) => enabled),
    AccountLocks.holder
  )
  // A command that holds the home is waited for.
  const holders = [Option.filter(ofHome, ({ gateway }) => gateway !== undefined), ...ofAccounts]
  yield* Effect.forEach(holders.flatMap(Option.toArray), replaceable, { discard: true })
})

const endOther = Effect.fnUntraced(function* (holder: Holder.Holder) {
  const { home, pid } = holder
  const gateway = yield* replaceable(holder)
  yield* Effect.logInfo("replacing").pipe(Effect.annotateLogs({ pid, home }))
  const killed = yield* Effect.mapError(
    Ending.end(holder, Ending.patienceOf(gateway)),
    ({ message }) => new NotReplaced({ pid, detail: message })
  )
  if (killed) yield* Effect.logWarning("it did not stop in time, and was killed").pipe(Effect.annotateLogs({ pid }))
})
