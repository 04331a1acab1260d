/**
 * The configuration, read again while the gateway runs: by SIGHUP, by hand, or because its file changed. What is wrong is told
 * and changes nothing; what is right is applied part by part, and what only a start can take is named.
 */
import { Clock, Deferred, Duration, Effect, Layer, Option, Queue, Ref } from "effect"
import { supervise } from "../actors/supervise.ts"
import type { Supervision } from "../actors/Supervision.ts"
import { Ticker } from "../actors/Ticker.ts"
import type { Loaded } from "../config/load.ts"
import { refuseOver } from "../config/load.ts"
import type { ConfigError } from "../config/report.ts"
import type { Reloaded } from "../http/Configuration.ts"
import { Misconfigured } from "../http/Configuration.ts"
import { JobStore } from "../store/JobStore.ts"
import type { Locked } from "./AccountLocks.ts"
import type { Applying, ApplyNeeds } from "./applying.ts"
import { makeApplying } from "./applying.ts"
import type { Asked, Requests } from "./InForce.ts"
import { ask, InForce } from "./InForce.ts"
import { jobChanges } from "./reloadPlan.ts"
import { watch } from "./watch.ts"

/** What the process lends to it. */
export interface Reloading {
  readonly requests: Requests
  /** Finds and checks the configuration as at the start. */
  readonly read: Effect.Effect<Loaded, ConfigError>
  /** A new one counts from now on: the log's level, and the secrets that are masked. */
  readonly adopt: (loaded: Loaded) => Effect.Effect<void>
  /** The accounts that are held since the start. */
  readonly locked: Locked
  /** All that its files say, where they are watched. */
  readonly look?: Effect.Effect<string>
}

/** What the running gateway is changed by. */
type Needs = InForce | JobStore | Ticker | Supervision | ApplyNeeds

/** Starts what the configuration names, and serves requests to read it again. */
export const layer = (loaded: Loaded, reloading: Reloading): Layer.Layer<never, never, Needs> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const applying = yield* makeApplying(loaded, reloading.locked)
      yield* applying.become(loaded)
      const answer = yield* makeAnswer(reloading, applying)
      yield* supervise("reload", { progressWithin, past: "slow" })((progress) =>
        Effect.gen(function* () {
          while (true) {
            yield* progress(progressWithin)
            const asked = yield* Effect.timeoutOption(Queue.takeAll(reloading.requests), idle)
            if (Option.isSome(asked)) yield* answer(asked.value)
          }
        })
      )
      yield* watching(reloading)
    })
  )

/** The worker says what came of it, and looks for itself whether it stands. */
const watching = ({ look, requests }: Reloading) =>
  look === undefined
    ? Effect.void
    : supervise("watch", { progressWithin, past: "slow" })((progress) =>
        watch(look, Effect.ignore(ask(requests)), progress(progressWithin))
      )

const idle = Duration.seconds(20)
const progressWithin = Duration.minutes(2)

/** One reading for all who asked by now. */
const makeAnswer = Effect.fnUntraced(function* (reloading: Reloading, applying: Applying) {
  const inForce = yield* InForce
  const store = yield* JobStore
  const ticker = yield* Ticker

  /** All that can be refused comes before anything changes. */
  const accept = Effect.gen(function* () {
    const next = yield* reloading.read
    const known = yield* store.list
    yield* refuseOver(
      next,
      known.map(({ job }) => job)
    )
    yield* applying.claim(next)
    yield* Effect.onError(store.replaceFileJobs(next.settings.jobs), () => applying.unclaim)
    yield* ticker.refresh
    yield* reloading.adopt(next)
    return next
  })

  const reload = Effect.gen(function* () {
    const { loaded: before } = yield* Ref.get(inForce)
    const next = yield* accept
    const changes = yield* applying.begin(next)
    const reloaded: Reloaded = {
      ...changes,
      source: next.source,
      cron: jobChanges(before.settings.jobs, next.settings.jobs),
      logLevel: next.settings.log.level,
      restartNeeded: applying.restartNeeded(next)
    }
    const { source, restartNeeded } = reloaded
    yield* Ref.set(inForce, {
      loaded: next,
      source,
      loadedAt: yield* Clock.currentTimeMillis,
      restartNeeded,
      error: null
    })
    yield* Effect.logInfo("configuration reloaded").pipe(Effect.annotateLogs(fieldsOf(reloaded)))
    if (restartNeeded.length > 0) {
      yield* Effect.logWarning("a restart is needed").pipe(Effect.annotateLogs({ settings: restartNeeded.join(", ") }))
    }
    return reloaded
  })

  const refuse = Effect.fnUntraced(function* (what: string) {
    yield* Ref.update(inForce, (held) => ({ ...held, error: what }))
    yield* Effect.logError("configuration not reloaded").pipe(Effect.annotateLogs({ error: what }))
    return yield* new Misconfigured({ what, where: "the configuration", hint: "correct it and reload again" })
  })

  const answer = Effect.catch(reload, (error) =>
    refuse(error._tag === "ConfigError" ? error.told("nothing changed") : `nothing changed: ${error.message}`)
  )

  return (asked: ReadonlyArray<Asked>) =>
    answer.pipe(
      Effect.onExit((exit) => Effect.forEach(asked, (outcome) => Deferred.done(outcome, exit), { discard: true })),
      // Whoever asked has been told, and the log.
      Effect.ignore
    )
})

const fieldsOf = ({ source, platforms, access, cron, alarms }: Reloaded) => ({
  source,
  started: platforms.started.join(", "),
  stopped: platforms.stopped.join(", "),
  replaced: platforms.replaced.join(", "),
  access: access.join(", "),
  jobs: [...cron.added, ...cron.changed, ...cron.removed].join(", "),
  alarms
})
