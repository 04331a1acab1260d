/** The locks of the accounts over a life of changing platforms: what a new configuration needs is locked before it is applied. */
import { Effect, Exit, Scope } from "effect"
import type { PlatformSettings } from "../config/Settings.ts"
import type { AccountHeld } from "./AccountLocks.ts"
import * as AccountLocks from "./AccountLocks.ts"

export interface Accounts {
  /** Locks what these platforms need and is not locked yet: all of it, or nothing. */
  readonly claim: (platforms: ReadonlyArray<PlatformSettings>) => Effect.Effect<void, AccountHeld>
  /** Lets go of what these platforms do not need. */
  readonly keepOnly: (platforms: ReadonlyArray<PlatformSettings>) => Effect.Effect<void>
}

/** `locked` are those of the process's start. */
export const make = Effect.fnUntraced(function* (home: string, locked: AccountLocks.Locked) {
  const scope = yield* Effect.scope
  const held = new Map(locked)

  const claimOne = Effect.fnUntraced(function* (platform: PlatformSettings) {
    const path = AccountLocks.pathOf(platform)
    if (path === null || held.has(path)) return
    const own = yield* Scope.fork(scope)
    yield* Effect.onError(Scope.provide(AccountLocks.acquire(platform, { home }), own), () =>
      Scope.close(own, Exit.void)
    )
    held.set(path, own)
  })

  const release = (isNeeded: (path: string) => boolean): Effect.Effect<void> =>
    Effect.forEach(
      Array.from(held).filter(([path]) => !isNeeded(path)),
      ([path, own]) =>
        Effect.andThen(
          Effect.sync(() => held.delete(path)),
          Scope.close(own, Exit.void)
        ),
      { discard: true }
    )

  const claim: Accounts["claim"] = (platforms) =>
    Effect.suspend(() => {
      const before = new Set(held.keys())
      const undo = Effect.suspend(() => release((path) => before.has(path)))
      return Effect.onError(Effect.forEach(platforms, claimOne, { discard: true }), () => undo)
    })

  const keepOnly: Accounts["keepOnly"] = (platforms) =>
    Effect.suspend(() => {
      const needed = new Set(platforms.map(AccountLocks.pathOf))
      return release((path) => needed.has(path))
    })

  const accounts: Accounts = { claim, keepOnly }
  return accounts
})
