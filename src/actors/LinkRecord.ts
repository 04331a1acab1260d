/**
 * Where one link stands, and what is kept of it. A single function moves the state; the log, the feed, the metrics and the
 * timeline hang on it. A store that fails is told and does not take the link with it: what is kept here is a record, not a condition.
 */
import { Clock, Effect, Metric, SubscriptionRef } from "effect"
import type { LinkMove, LinkStatus } from "../domain/LinkState.ts"
import { changeOf, initial } from "../domain/LinkState.ts"
import type { Platform } from "../platforms/Platform.ts"
import { LinkStore } from "../store/LinkStore.ts"
import { Feed } from "./Feed.ts"
import { announce } from "./linkLog.ts"
import { Mask } from "./Mask.ts"
import { linkFailures } from "./metrics.ts"

export interface LinkRecord {
  readonly status: SubscriptionRef.SubscriptionRef<LinkStatus>
  readonly move: (to: LinkMove) => Effect.Effect<void>
  /** What the last link's frames left; null when the store does not say. */
  readonly resume: Effect.Effect<string | null>
  /** These settings have connected. */
  readonly proved: Effect.Effect<void>
  readonly wasProved: Effect.Effect<boolean>
}

/** `onMove` hears of every move. */
export const make = Effect.fnUntraced(function* (
  { id, kind, fingerprint }: Platform,
  onMove: (status: LinkStatus) => Effect.Effect<void>
) {
  const links = yield* LinkStore
  const feed = yield* Feed
  const mask = yield* Mask
  const status = yield* SubscriptionRef.make(initial(id, kind, yield* Clock.currentTimeMillis))

  const recorded = <A>(effect: Effect.Effect<A, { readonly message: string }>, otherwise: A): Effect.Effect<A> =>
    Effect.catch(effect, (error) =>
      Effect.logError("link not recorded").pipe(
        Effect.annotateLogs({ platform: id, error: error.message }),
        Effect.as(otherwise)
      )
    )

  const move = Effect.fnUntraced(function* (to: LinkMove) {
    const now = yield* Clock.currentTimeMillis
    const before = yield* SubscriptionRef.get(status)
    const after = withoutSecrets(before, to(before, now), mask)
    const change = changeOf(before, after, now)
    yield* SubscriptionRef.set(status, after)
    yield* announce(before, after, change)
    if (change.kind !== null) yield* Metric.update(linkFailures(id, change.kind), 1)
    yield* feed.tell({ _tag: "LinkChanged", platform: id, change })
    yield* onMove(after)
    yield* recorded(links.record(id, change), undefined)
  })

  const record: LinkRecord = {
    status,
    move,
    resume: recorded(links.resume(id), null),
    proved: recorded(links.proved(id, fingerprint), undefined),
    wasProved: recorded(links.wasProved(id, fingerprint), false)
  }
  return record
})

/** What a platform says in refusing may hold what it was shown. */
const withoutSecrets = (before: LinkStatus, after: LinkStatus, mask: (text: string) => string): LinkStatus => {
  const { lastError } = after
  // The same error as before says that there is no new one.
  if (lastError === null || lastError === before.lastError) return after
  return { ...after, lastError: { ...lastError, message: mask(lastError.message) } }
}
