/**
 * `run --replace`: who holds the home or an account is told to stop, and its place is taken once it is gone, so that the two are
 * never connected at once. Not where a service manager would start the other again, nor where the other itself has just taken
 * over: two that replace each other would go on for ever.
 */
import type { Scope } from "effect"
import { Clock, Duration, Effect, Schedule, Schema } from "effect"
import type { Settings } from "../config/Settings.ts"
import * as AccountLocks from "./AccountLocks.ts"
import type { Holder } from "./holder.ts"
import { isAlive, isHere } from "./holder.ts"
import * as HomeLock from "./HomeLock.ts"

/** The other stays, and this one ends with 73. */
export class NotReplaced extends Schema.TaggedError<NotReplaced>()("NotReplaced", {
  pid: Schema.Int,
  detail: Schema.String
}) {
  override get message() {
    return `process ${this.pid} was not replaced: ${this.detail}`
  }
}

type Held = HomeLock.HomeHeld | AccountLocks.AccountHeld

/** Two that took turns faster than this would do so for ever. */
const settledMillis = 5 * 60_000
/** A holder's drain is its own affair, but it has an end. */
const patience = Duration.minutes(2)
const looks = Schedule.spaced(Duration.millis(100))

/** Holds the home and the accounts of all enabled platforms until the scope closes. */
export const hold = Effect.fnUntraced(function* (
  { home, platforms }: Settings,
  replace: boolean
): Effect.fn.Return<void, Held | HomeLock.HomeUnusable | NotReplaced, Scope.Scope> {
  let replacedAt: { readonly replacedAt?: number } = {}
  const patiently = <A, E extends { readonly _tag: string }>(
    acquiring: (facts: { readonly replacedAt?: number }) => Effect.Effect<A, E | Held, Scope.Scope>
  ): Effect.Effect<A, E | Held | NotReplaced, Scope.Scope> =>
    Effect.suspend(() => acquiring(replacedAt)).pipe(
      Effect.catchIf(
        (error): error is Held => replace && (error._tag === "HomeHeld" || error._tag === "AccountHeld"),
        ({ holder }) =>
          Effect.gen(function* () {
            yield* stopOther(holder)
            replacedAt = { replacedAt: yield* Clock.currentTimeMillis }
            return yield* acquiring(replacedAt)
          })
      )
    )
  yield* patiently((facts) => HomeLock.acquire(home, facts))
  for (const platform of platforms.filter(({ enabled }) => enabled)) {
    yield* patiently((facts) => AccountLocks.acquire(platform, { home, ...facts }))
  }
})

const stopOther = Effect.fnUntraced(function* (holder: Holder) {
  const refuse = (detail: string) => new NotReplaced({ pid: holder.pid, detail })
  if (!isHere(holder)) return yield* refuse(`it runs on ${holder.host}`)
  if (holder.manager !== undefined) {
    return yield* refuse(`${holder.manager} would start it again; stop it there, or uninstall the service`)
  }
  const now = yield* Clock.currentTimeMillis
  if (holder.replacedAt !== undefined && now - holder.replacedAt < settledMillis) {
    return yield* refuse("it has itself replaced another less than 5 minutes ago; find out who starts both")
  }
  yield* Effect.logInfo("replacing").pipe(Effect.annotateLogs({ pid: holder.pid, home: holder.home ?? "" }))
  // It may be gone by now, which is all that is wanted.
  yield* Effect.ignore(Effect.try({ try: () => process.kill(holder.pid, "SIGTERM"), catch: String }))
  yield* Effect.repeat(
    Effect.sync(() => isAlive(holder)),
    { schedule: looks, while: (alive: boolean) => alive }
  ).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => refuse("it does not stop") }))
})
