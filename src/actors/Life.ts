/**
 * One link that is up: its frames are kept and acknowledged, its two clocks run, and whichever fails first ends it.
 * Connection → **Life** → Inbox.
 */
import type { Fiber } from "effect"
import { Clock, Deferred, Duration, Effect, Metric, Schedule, Scope, Semaphore, Stream } from "effect"
import type { MessageArrived } from "../domain/Inbound.ts"
import { Ended, LinkError } from "../domain/LinkError.ts"
import type { Frame, Link, Platform } from "../platforms/Platform.ts"
import { clocksOf } from "../schedules/liveness.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { Inbox } from "./Inbox.ts"
import { lifeClock } from "./lifeClock.ts"
import { ackLatency } from "./metrics.ts"
import { Pauses } from "./Pauses.ts"
import type { Progress } from "./Supervision.ts"

export interface Life {
  readonly link: Link
  /** Never succeeds: its failure is the link's, and when it is done the socket is closed. */
  readonly fiber: Fiber.Fiber<never, LinkError>
  /** The platform announced the end of this link. */
  readonly goodbye: Deferred.Deferred<string>
  /** Takes nothing further; returns when what was taken is kept and acknowledged. The clocks run on. */
  readonly quiesce: Effect.Effect<void>
  /** Monotonic milliseconds. */
  readonly upSince: number
  /** When a message last came, in Unix milliseconds. */
  readonly lastInboundAt: () => number | null
}

/** Beyond the time that a clock announces for its next check. */
const grace = Duration.seconds(60)
const storeRetry = Schedule.spaced(Duration.seconds(1))

/** Starts the life of a link in `scope`; `own` is the link's own scope, closed as the life ends. */
export const start = Effect.fnUntraced(function* (
  platform: Platform,
  link: Link,
  options: { readonly scope: Scope.Scope; readonly own: Scope.Closeable; readonly progress: Progress }
) {
  const inbox = yield* Inbox
  const pauses = yield* Pauses
  const goodbye = yield* Deferred.make<string>()
  // Held while frames are kept and acknowledged; taken for good by `quiesce`.
  const intake = yield* Semaphore.make(1)
  const latency = ackLatency(platform.id)
  let lastInboundAt: number | null = null

  const keep = Effect.fnUntraced(function* (frames: ReadonlyArray<Frame>) {
    const events: Array<MessageArrived> = []
    let resume: string | undefined
    for (const frame of frames) {
      if (frame._tag !== "Arrived") continue
      events.push(frame.event)
      resume = frame.resume ?? resume
    }
    if (events.length === 0) return
    lastInboundAt = yield* Clock.currentTimeMillis
    // Nothing is acknowledged meanwhile, and the socket reads on into its bounded queue: silence is still measured.
    yield* inbox.accept(platform, events, resume).pipe(
      Effect.tapError((error) =>
        Effect.logError("not kept").pipe(Effect.annotateLogs({ platform: platform.id, error: error.message }))
      ),
      // The schedule has no end, so no error comes through.
      Effect.retry(storeRetry),
      Effect.orDie
    )
  })

  const onFrames = Effect.fnUntraced(function* (frames: ReadonlyArray<Frame>) {
    const takenAt = yield* monotonicMillis
    yield* keep(frames)
    for (const frame of frames) {
      switch (frame._tag) {
        case "Arrived":
          yield* frame.ack
          yield* Metric.update(latency, ((yield* monotonicMillis) - takenAt) / 1000)
          break
        case "Ignored":
          yield* frame.ack
          break
        case "GoAway":
          yield* Deferred.succeed(goodbye, frame.detail)
          break
        case "Alive":
          break
      }
    }
  })

  const reading = Stream.runForEachArray(link.frames, (frames) => intake.withPermit(onFrames(frames))).pipe(
    Effect.andThen(new LinkError({ platform: platform.id, reason: new Ended({ detail: "its frames ended" }) }))
  )
  const clocks = clocksOf(link).map((clock) =>
    lifeClock(clock, {
      platform: platform.id,
      wake: Effect.asVoid(pauses.next),
      onCheck: (within) => options.progress(Duration.sum(within, grace))
    })
  )
  // A link without clocks has nothing to stamp; its silence means nothing.
  yield* options.progress(clocks.length === 0 ? Duration.infinity : grace)
  const fiber = yield* Effect.raceAllFirst([reading, ...clocks]).pipe(
    Effect.interruptible,
    Effect.onExit((exit) => Scope.close(options.own, exit)),
    Effect.forkIn(options.scope)
  )
  const life: Life = {
    link,
    fiber,
    goodbye,
    quiesce: Effect.asVoid(intake.take(1)),
    upSince: yield* monotonicMillis,
    lastInboundAt: () => lastInboundAt
  }
  return life
})
