/**
 * Ten bugs, each the kind that somebody could write one day, each planted from outside: a part of the graph or an adapter
 * that behaves wrongly in one way. The product knows nothing of them.
 */
import { Duration, Effect, Exit, Layer, Option } from "effect"
import { Inbox } from "../../src/actors/Inbox.ts"
import { Roster } from "../../src/actors/Roster.ts"
import { Sessions } from "../../src/actors/Sessions.ts"
import type { Platform } from "../../src/platforms/Platform.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import type { Alteration, Law } from "../../src/testing/Simulation.ts"

export interface Plant {
  readonly name: string
  readonly alteration: Alteration
  /** The law that catches it. */
  readonly law: Law
}

/** A platform whose `connect` is another. */
const connecting = (connect: (platform: Platform) => Platform["connect"]): Alteration => ({
  platform: (platform) => ({ ...platform, connect: connect(platform) })
})

/** The gateway is told that a message is kept before it is. */
const acknowledgesEarly: Alteration = {
  parts: (parts) => ({
    ...parts,
    inbox: Layer.effect(
      Inbox,
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const scope = yield* Effect.scope
        return Inbox.of({
          ...inbox,
          accept: (...message) => Effect.as(Effect.forkIn(Effect.ignore(inbox.accept(...message)), scope), [])
        })
      })
    ).pipe(Layer.provide(parts.inbox))
  })
}

/** An adapter that comes back by itself when its link was closed on purpose. */
const redials = connecting((platform) => (resume) => {
  const again = Effect.forkDetach(Effect.delay(Effect.scoped(platform.connect(resume)), Duration.millis(0.5)))
  return Effect.andThen(
    Effect.addFinalizer((exit) => (Exit.isFailure(exit) && !Exit.hasInterrupts(exit) ? Effect.void : again)),
    platform.connect(resume)
  )
})

/** Every fifth session that is woken sleeps on. */
const losesWakes: Alteration = {
  parts: (parts) => ({
    ...parts,
    sessions: Layer.effect(
      Sessions,
      Effect.map(Sessions, (sessions) => {
        let wakes = 0
        return Sessions.of({
          ...sessions,
          wake: (session) => (++wakes % 5 === 0 ? Effect.void : sessions.wake(session))
        })
      })
    ).pipe(Layer.provide(parts.sessions))
  })
}

/** What was decided acts, and is in no ledger. */
const skipsLedger: Alteration = {
  parts: (parts) => ({
    ...parts,
    stores: Layer.effect(
      JobStore,
      Effect.gen(function* () {
        const store = yield* JobStore
        const db = yield* Database
        const forget = ({ job, scheduledAt }: Parameters<typeof store.decide>[0][number]) =>
          db.sql`DELETE FROM cron_runs WHERE job = ${job} AND scheduled_at = ${scheduledAt}`
        return JobStore.of({
          ...store,
          decide: (decisions) =>
            Effect.tap(store.decide(decisions), () => db.write("forget", Effect.forEach(decisions, forget)))
        })
      })
    ).pipe(Layer.provideMerge(parts.stores))
  })
}

/** A link that has just come up is taken for stable. */
const forgetsBackoff: Alteration = {
  platform: (platform) => ({
    ...platform,
    settings: { ...platform.settings, retry: { ...platform.settings.retry, resetAfter: Duration.zero } }
  })
}

/** A pong of a front-end counts as a sign of the session behind it. */
const countsPongs = connecting(
  (platform) => (resume) =>
    Effect.map(platform.connect(resume), (link) => ({
      ...link,
      heard: Effect.map(link.heard, ({ byteAt }) => ({ byteAt, frameAt: byteAt }))
    }))
)

/** Replies go out, and then they are written down. */
const sendsEarly: Alteration = {
  parts: (parts) => ({
    ...parts,
    sessions: Layer.provide(
      parts.sessions,
      Layer.effect(
        InboxStore,
        Effect.gen(function* () {
          const store = yield* InboxStore
          const roster = yield* Roster
          return InboxStore.of({
            ...store,
            finish: (end, goesOn) =>
              Effect.forEach(end.replies, (reply) =>
                Effect.ignore(roster.find(reply.address.platform)?.send(reply) ?? Effect.void)
              ).pipe(Effect.andThen(store.finish(end, goesOn)))
          })
        })
      )
    )
  })
}

/** Two attempts, and whichever is up first is kept. */
const dialsTwice = connecting(
  (platform) => (resume) => Effect.raceFirst(platform.connect(resume), platform.connect(resume))
)

/** A lane ends with its first dead letter. */
const stopsLanes: Alteration = {
  parts: (parts) => ({
    ...parts,
    outbox: Layer.provide(
      parts.outbox,
      Layer.effect(
        OutboxStore,
        Effect.map(OutboxStore, (store) => {
          const chats = new Map<number, string>()
          const stopped = new Set<string>()
          return OutboxStore.of({
            ...store,
            next: (platform, chat) =>
              stopped.has(`${platform}:${chat}`)
                ? Effect.succeedNone
                : Effect.tap(store.next(platform, chat), (row) =>
                    Effect.sync(() => {
                      if (Option.isSome(row)) chats.set(row.value.seq, `${platform}:${chat}`)
                    })
                  ),
            bury: (seq, reason, at) =>
              Effect.tap(store.bury(seq, reason, at), () => Effect.sync(() => stopped.add(chats.get(seq) ?? "")))
          })
        })
      )
    )
  })
}

/** The first job that runs a turn is the last thing that the ticker does. */
const endsTicker: Alteration = {
  parts: (parts) => ({
    ...parts,
    ticker: Layer.provide(
      parts.ticker,
      Layer.effect(
        JobStore,
        Effect.map(JobStore, (store) => {
          let ended = false
          return JobStore.of({
            ...store,
            list: Effect.suspend(() => (ended ? Effect.never : store.list)),
            decide: (decisions) =>
              Effect.tap(store.decide(decisions), () =>
                Effect.sync(() => {
                  ended ||= decisions.some(({ consequence }) => consequence._tag === "Turn")
                })
              )
          })
        })
      )
    )
  })
}

export const plants: ReadonlyArray<Plant> = [
  { name: "acks before the store", alteration: acknowledgesEarly, law: "acknowledged is kept" },
  { name: "redials after stop", alteration: redials, law: "no attempt after a stop" },
  { name: "loses a wake", alteration: losesWakes, law: "nothing waits for ever" },
  { name: "skips the cron ledger", alteration: skipsLedger, law: "cron is on time" },
  { name: "resets backoff on open", alteration: forgetsBackoff, law: "backoff outlives an opening" },
  {
    name: "counts WebSocket pongs as life of the session",
    alteration: countsPongs,
    law: "silence is noticed"
  },
  { name: "sends before the transaction", alteration: sendsEarly, law: "sent is kept" },
  { name: "two attempts at once", alteration: dialsTwice, law: "one attempt at a time" },
  { name: "a lane that stops after a dead letter", alteration: stopsLanes, law: "nothing waits for ever" },
  { name: "a ticker that ends with a job", alteration: endsTicker, law: "cron is on time" }
]
