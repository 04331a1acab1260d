/** Session key → its actor, alive only while its rows wait. Inbox → **Sessions** → Session. */
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import type { Duration } from "effect"
import type { Agent } from "../agents/Agent.ts"
import type { PlatformId } from "../domain/Address.ts"
import type { SessionKey } from "../domain/Session.ts"
import { InboxStore } from "../store/InboxStore.ts"
import type { Feed } from "./Feed.ts"
import type { Outbox } from "./Outbox.ts"
import type { Roster } from "./Roster.ts"
import * as Session from "./Session.ts"
import { untilTheStoreAnswers } from "./untilTheStoreAnswers.ts"
import * as Workers from "./Workers.ts"

export interface SessionsOptions {
  /** The most time that a turn may take. */
  readonly turnTimeout: Duration.Duration
  /** Senders (`<platform id>:<sender id>`) that an agent is told are admins. */
  readonly admins: ReadonlyArray<string>
  /** Turns that run at once, 256 if absent; further ones wait for a place. */
  readonly concurrentTurns?: number
}

export class Sessions extends Context.Service<
  Sessions,
  {
    /** Something waits for this session. Returns at once; a session that is at work looks again before it rests. */
    readonly wake: (session: SessionKey) => Effect.Effect<void>
    /** How many are at work. */
    readonly active: Effect.Effect<number>
    /** Wakes what waits for this platform's sessions: at its start, and again after it was settled. */
    readonly serve: (platform: PlatformId) => Effect.Effect<void>
    /** Starts no further turn of this platform's sessions; returns when the running ones have ended. */
    readonly settle: (platform: PlatformId) => Effect.Effect<void>
  }
>()("evergate/actors/Sessions") {
  static readonly layer = (
    options: SessionsOptions
  ): Layer.Layer<Sessions, never, InboxStore | Outbox | Agent | Feed | Roster> =>
    Layer.effect(
      Sessions,
      Effect.gen(function* () {
        const store = yield* InboxStore
        const runTurn = yield* Session.make(options)
        const places = options.concurrentTurns ?? 256
        const permits = yield* Semaphore.make(places)
        const settled = new Set<string>()

        const step = Effect.fnUntraced(function* (session: SessionKey): Effect.fn.Return<boolean> {
          if (settled.has(platformOf(session))) return false
          let goesOn = true
          const mayGoOn = Effect.map(workers.active, (active) => {
            goesOn = active <= places && !settled.has(platformOf(session))
            return goesOn
          })
          let entry = yield* untilTheStoreAnswers("session")(store.take(session, yield* Clock.currentTimeMillis))
          while (Option.isSome(entry)) entry = yield* runTurn(entry.value, mayGoOn)
          // It gave its place to another session, and looks again when it has one.
          return !goesOn
        })
        // A turn begins when there is a place for it, not while it waits for one.
        const workers = yield* Workers.make((session: SessionKey) => permits.withPermit(step(session)))

        const serve = Effect.fnUntraced(function* (platform: PlatformId) {
          settled.delete(platform)
          const waiting = yield* untilTheStoreAnswers("start")(store.waiting)
          yield* Effect.forEach(
            waiting.filter((session) => platformOf(session) === platform),
            workers.wake,
            {
              discard: true
            }
          )
        })

        const settle = (platform: PlatformId): Effect.Effect<void> =>
          Effect.suspend(() => {
            settled.add(platform)
            return workers.rest((session) => platformOf(session) === platform)
          })

        return Sessions.of({ wake: workers.wake, active: workers.active, serve, settle })
      })
    )
}

/** A session's key begins with the address of its chat. */
const platformOf = (session: SessionKey): string => session.slice(0, session.indexOf(":"))
