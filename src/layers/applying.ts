/** What a configuration makes run: platforms and the alarms' roads, each a part of its own, under the locks of their accounts. */
import { Cause, Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import { hostname } from "node:os"
import { Notices } from "../actors/Notices.ts"
import { Outbox } from "../actors/Outbox.ts"
import { Supervision } from "../actors/Supervision.ts"
import type { Loaded } from "../config/load.ts"
import type { AlarmSettings } from "../config/Settings.ts"
import type { Reloaded } from "../http/Configuration.ts"
import { Local } from "../platforms/local/Local.ts"
import { Database } from "../store/Database.ts"
import type { AccountHeld, Locked } from "./AccountLocks.ts"
import * as Accounts from "./accounts.ts"
import * as AlarmRoads from "./alarmRoads.ts"
import type { Wanted } from "./parts.ts"
import * as Parts from "./parts.ts"
import * as Platforms from "./Platforms.ts"
import { fingerprintOf, restartNeeded } from "./reloadPlan.ts"

export type ApplyNeeds = Platforms.AdapterNeeds | AlarmRoads.RoadNeeds

/** What a configuration changes of what runs. */
export type Begun = Pick<Reloaded, "platforms" | "access" | "alarms">

export interface Applying {
  /** Returns when everything runs. */
  readonly become: (loaded: Loaded) => Effect.Effect<void>
  /** Locks the accounts that are new; nothing else changes. */
  readonly claim: (loaded: Loaded) => Effect.Effect<void, AccountHeld>
  /** Lets go of accounts that nothing came of. */
  readonly unclaim: Effect.Effect<void>
  /** Says what changes, and sets it going: a platform that leaves may have a turn to end. */
  readonly begin: (loaded: Loaded) => Effect.Effect<Begun>
  /** What the gateway, as it was built, cannot take. */
  readonly restartNeeded: (loaded: Loaded) => ReadonlyArray<string>
}

/** How the gateway names itself to whoever it alarms. */
export const name = `evergate on ${hostname()}`

/** Everything that runs belongs to the scope. */
export const makeApplying = Effect.fnUntraced(function* (built: Loaded, locked: Locked) {
  const ground = yield* Effect.context<ApplyNeeds>()
  const scope = yield* Effect.scope
  const { chat } = Context.get(ground, Local)
  const accounts = yield* Accounts.make(built.settings.home, locked)
  const roads = yield* Parts.make
  const platforms = yield* Parts.make
  const wishedOf = yield* Platforms.make
  let needed = built.settings.platforms

  const intend = ({ settings, env }: Loaded): Begun => {
    needed = settings.platforms
    const { access, parts } = wishedOf(settings.platforms, env)
    const told = roads.intend(roadsOf(settings.alarms, ground))
    const isSame = Object.values(told).every((names) => names.length === 0)
    return { platforms: platforms.intend(parts), access, alarms: isSame ? "unchanged" : "changed" }
  }

  const unclaim = Effect.suspend(() => accounts.keepOnly(Platforms.enabledOf(needed)))
  const settle = Effect.andThen(Effect.andThen(roads.settle, platforms.settle), unclaim)

  const applying: Applying = {
    become: (loaded) =>
      Effect.andThen(
        Effect.sync(() => intend(loaded)),
        settle
      ),
    // A bug in one part: nobody waits who could be told, and what else runs goes on.
    begin: (loaded) =>
      Effect.tap(
        Effect.sync(() => intend(loaded)),
        Effect.forkIn(Effect.catchCause(settle, tellDefect), scope)
      ),
    unclaim,
    claim: ({ settings }) => accounts.claim(Platforms.enabledOf(settings.platforms)),
    restartNeeded: ({ settings }) => [
      ...restartNeeded(built.settings, settings),
      // The page's chat has had its name since the start.
      ...Platforms.enabledOf(settings.platforms)
        .filter(({ id, kind }) => kind === "local" && id !== chat.platform)
        .map(({ id }) => `platforms.${id}`)
    ]
  }
  return applying
})

const tellDefect = (cause: Cause.Cause<never>) =>
  Effect.logError("the configuration is not applied as a whole").pipe(
    Effect.annotateLogs({ cause: Cause.pretty(cause) })
  )

/** Each entry is a road; one that is written twice is one. */
const roadsOf = (alarms: ReadonlyArray<AlarmSettings>, context: Context.Context<ApplyNeeds>): Wanted => {
  // Without the scope: each has one of its own.
  const ground = Context.pick(Notices, Outbox, HttpClient, Supervision, Database)(context)
  return new Map(
    alarms.map((alarm) => {
      const fingerprint = fingerprintOf(alarm)
      const start = Layer.build(AlarmRoads.layer(alarm, name)).pipe(Effect.asVoid, Effect.provideContext(ground))
      return [fingerprint, { fingerprint, start }]
    })
  )
}
