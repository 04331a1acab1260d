/** What happens, told to whoever listens: the page, `/api/events`, tests. Listening costs the teller nothing; a slow listener misses the oldest. */
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { Finding } from "../domain/Finding.ts"
import type { JobId, RunOutcome } from "../domain/Job.ts"
import type { LinkChange } from "../domain/LinkState.ts"
import type { SessionKey } from "../domain/Session.ts"

/** Addresses are printed; times are Unix milliseconds. */
export type FeedEvent =
  | { readonly _tag: "LinkChanged"; readonly platform: PlatformId; readonly change: LinkChange }
  | {
      readonly _tag: "MessageAccepted"
      readonly address: string
      readonly messageId: string
      readonly sender: string
      readonly text: string
      readonly at: number
    }
  | {
      readonly _tag: "MessageRefused"
      readonly platform: PlatformId
      readonly eventId: string
      readonly reason: string
      readonly at: number
    }
  | {
      readonly _tag: "TurnStarted"
      readonly session: SessionKey
      readonly turn: string
      readonly attempt: number
      readonly at: number
    }
  | {
      readonly _tag: "TurnEnded"
      readonly session: SessionKey
      readonly turn: string
      readonly outcome: "ok" | "failed"
      readonly at: number
    }
  | {
      readonly _tag: "DeliveryEnded"
      readonly id: string
      readonly address: string
      readonly text: string
      readonly state: "delivered" | "dead"
      readonly reason: string | null
      readonly at: number
    }
  | {
      readonly _tag: "RunDecided"
      readonly job: JobId
      readonly scheduledAt: number
      readonly outcome: RunOutcome
      readonly reason: string | null
      readonly at: number
    }
  /** What the daily visit of the doctor found new, and what it found no more. */
  | {
      readonly _tag: "DiagnosisChanged"
      readonly raised: ReadonlyArray<Finding>
      readonly cleared: ReadonlyArray<Finding>
      readonly at: number
    }

export class Feed extends Context.Service<
  Feed,
  {
    readonly tell: (event: FeedEvent) => Effect.Effect<void>
    /** From now on; the newest 1,024 that were not taken yet. */
    readonly events: Stream.Stream<FeedEvent>
  }
>()("evergate/actors/Feed") {
  static readonly layer: Layer.Layer<Feed> = Layer.effect(
    Feed,
    Effect.gen(function* () {
      const hub = yield* PubSub.sliding<FeedEvent>(1024)
      yield* Effect.addFinalizer(() => PubSub.shutdown(hub))
      return Feed.of({
        tell: (event) => PubSub.publish(hub, event),
        events: Stream.fromPubSub(hub)
      })
    })
  )
}
