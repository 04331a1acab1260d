/**
 * Alarms by another road: what is wrong, told to whoever is to know, wherever the trouble itself does not stand in the way.
 * alarmWatch → **Notices** → a chat, a webhook. Each road has a fiber of its own, so that none waits for another.
 */
import { Context, Duration, Effect, Layer, Option, Queue, Schema } from "effect"
import type { Scope } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import * as Alarming from "../schedules/alarming.ts"
import type { Bulletin, Notice, Trouble } from "./bulletin.ts"
import { bulletinOf } from "./bulletin.ts"
import { supervise } from "./supervise.ts"
import { Supervision } from "./Supervision.ts"

/** A road did not take what it was told. */
export class RoadBlocked extends Schema.TaggedError<RoadBlocked>()("RoadBlocked", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** One way to the people who are to know. */
export interface Road {
  /** In the log and the tree; nothing secret. */
  readonly name: string
  /** The platform that it goes over; null where it goes over none. */
  readonly platform: PlatformId | null
  readonly tell: (bulletin: Bulletin) => Effect.Effect<void, RoadBlocked>
}

export class Notices extends Context.Service<
  Notices,
  {
    /** Something is wrong. What is known by its key to be wrong is not told again. */
    readonly raise: (trouble: Trouble) => Effect.Effect<void>
    /** It is not any more, as `what` says in a sentence. Without a trouble of this key nothing happens. */
    readonly clear: (key: string, what: string) => Effect.Effect<void>
    /** All that one observer finds wrong now: what is new is raised, and what it finds no more is cleared. */
    readonly report: (observer: string, found: ReadonlyArray<Trouble>) => Effect.Effect<void>
    readonly open: Effect.Effect<ReadonlyArray<Trouble>>
    /** Tells a road until the scope closes; one that is new hears first what is wrong already. */
    readonly serve: (road: Road) => Effect.Effect<void, never, Scope.Scope>
  }
>()("evergate/actors/Notices") {
  /** `gateway`: how it names itself. */
  static readonly layer = (options: { readonly gateway: string }): Layer.Layer<Notices, never, Supervision> =>
    Layer.effect(Notices, make(options.gateway))
}

/** The newest that a road was not told yet; troubles are rare, and more than these nobody reads. */
const mostWaiting = 256
/** A road that nothing waits for says this often that it lives. */
const idle = Duration.seconds(30)
const progressWithin = Duration.minutes(1)

interface Served {
  readonly road: Road
  readonly mailbox: Queue.Queue<Notice>
}

const make = Effect.fnUntraced(function* (gateway: string) {
  const supervision = yield* Supervision
  const troubles = new Map<string, Trouble>()
  const served = new Set<Served>()

  const open = Effect.sync(() => Array.from(troubles.values()))
  const tellAll = (notice: Notice) =>
    Effect.forEach(served, ({ mailbox }) => Queue.offer(mailbox, notice), { discard: true })

  const raise = (trouble: Trouble) =>
    Effect.suspend(() => {
      const isKnown = troubles.has(trouble.key)
      troubles.set(trouble.key, trouble)
      return isKnown ? Effect.void : tellAll({ _tag: "Raised", trouble })
    })
  const clear = (key: string, what: string) =>
    Effect.suspend(() => (troubles.delete(key) ? tellAll({ _tag: "Cleared", key, what }) : Effect.void))

  const report = Effect.fnUntraced(function* (observer: string, found: ReadonlyArray<Trouble>) {
    const named = found.map((trouble) => ({ ...trouble, key: `${observer} ${trouble.key}` }))
    const keys = new Set(named.map(({ key }) => key))
    const over = Array.from(troubles.values()).filter(({ key }) => key.startsWith(`${observer} `) && !keys.has(key))
    yield* Effect.forEach(named, raise, { discard: true })
    yield* Effect.forEach(over, ({ key, what }) => clear(key, `no longer so: ${what}`), { discard: true })
  })

  /** It goes over a platform that is in trouble itself, and another road does not. */
  const isSpared = ({ platform }: Road): boolean => {
    const inTrouble = new Set(Array.from(troubles.values(), (trouble) => trouble.platform))
    const isBlocked = (over: PlatformId | null) => over !== null && inTrouble.has(over)
    return isBlocked(platform) && Array.from(served).some(({ road }) => !isBlocked(road.platform))
  }

  const deliver = (road: Road, notices: ReadonlyArray<Notice>) =>
    Effect.suspend(() =>
      isSpared(road) ? Effect.void : tell(road, bulletinOf(gateway, notices, Array.from(troubles.values())))
    )

  const serve = Effect.fnUntraced(function* (road: Road) {
    const entry: Served = { road, mailbox: yield* Queue.sliding<Notice>(mostWaiting) }
    for (const trouble of troubles.values()) yield* Queue.offer(entry.mailbox, { _tag: "Raised", trouble })
    yield* Effect.acquireRelease(
      Effect.sync(() => served.add(entry)),
      () => Effect.sync(() => served.delete(entry))
    )
    yield* work(entry, deliver)
  })

  return Notices.of({
    raise,
    clear,
    report,
    open,
    serve: (road) => Effect.provideService(serve(road), Supervision, supervision)
  })
})

/** Waits for a first notice and for what belongs to it, and keeps its distance from the last message. */
const work = (
  { road, mailbox }: Served,
  deliver: (road: Road, notices: ReadonlyArray<Notice>) => Effect.Effect<void>
) => {
  let toldAt = Number.NEGATIVE_INFINITY
  return supervise(`alarms by ${road.name}`, { progressWithin, past: "slow" })((progress) =>
    Effect.gen(function* () {
      while (true) {
        yield* progress(progressWithin)
        if (Option.isNone(yield* Effect.timeoutOption(Queue.peek(mailbox), idle))) continue
        const due = toldAt + Duration.toMillis(Alarming.apart) - (yield* monotonicMillis)
        const wait = Duration.max(Alarming.together, Duration.millis(due))
        yield* progress(Duration.sum(wait, Alarming.atMost))
        yield* Effect.sleep(wait)
        toldAt = yield* monotonicMillis
        yield* deliver(road, yield* Queue.takeAll(mailbox))
      }
    })
  )
}

/** A road that stays blocked is given up for this message: the next one says what is wrong by then. */
const tell = (road: Road, bulletin: Bulletin): Effect.Effect<void> =>
  road.tell(bulletin).pipe(
    Effect.timeoutOrElse({
      duration: Alarming.patience,
      orElse: () => Effect.fail(new RoadBlocked({ detail: "it took too long" }))
    }),
    Effect.retry(Alarming.again),
    Effect.andThen(Effect.logInfo("alarm told")),
    Effect.catch((error) =>
      Effect.logError("alarm not told").pipe(Effect.annotateLogs({ error: error.message, text: bulletin.text }))
    ),
    Effect.annotateLogs({ road: road.name })
  )
