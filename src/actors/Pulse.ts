/** One line every five minutes, so that silence in the log is a sign. */
import { Duration, Effect, Layer } from "effect"
import { iso } from "../domain/instant.ts"
import { monotonicMillis } from "../domain/monotonic.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { supervise } from "./supervise.ts"
import type { Supervision } from "./Supervision.ts"
import { Supervisor } from "./Supervisor.ts"
import { Ticker } from "./Ticker.ts"
import { Vitals } from "./Vitals.ts"

const every = Duration.minutes(5)
const progressWithin = Duration.minutes(7)

export const layer: Layer.Layer<never, never, Supervisor | Ticker | InboxStore | OutboxStore | Supervision> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const ticker = yield* Ticker
      const inbox = yield* InboxStore
      const outbox = yield* OutboxStore
      const vitals = yield* Vitals

      const beat = Effect.fnUntraced(function* (loopDelayMs: number) {
        const links = (yield* supervisor.links).filter((link) => !link.auxiliary && link.state !== "stopped")
        const { lastTickAt } = yield* ticker.status
        yield* Effect.logInfo("alive").pipe(
          Effect.annotateLogs({
            platforms: `${links.filter((link) => link.state === "connected").length}/${links.length}`,
            lastTick: lastTickAt === null ? "never" : iso(lastTickAt),
            inbox: yield* total(inbox.unprocessed),
            outbox: yield* total(Effect.map(outbox.counts, (counts) => counts.pending)),
            loopDelayMs
          })
        )
      })

      yield* supervise("pulse", { progressWithin, past: "exit" })((progress) =>
        Effect.gen(function* () {
          while (true) {
            yield* progress(progressWithin)
            const before = yield* monotonicMillis
            yield* Effect.sleep(every)
            // Where nobody measures, how late this came is all that is known.
            const late = Math.max(0, (yield* monotonicMillis) - before - Duration.toMillis(every))
            const signs = yield* vitals.read
            yield* beat(Math.round(signs?.loopDelayMostMillis ?? late))
          }
        })
      )
    })
  )

/** A store that does not answer has its own lines; here it is a question mark. */
const total = (counts: Effect.Effect<ReadonlyMap<unknown, number>, unknown>): Effect.Effect<number | "?"> =>
  Effect.match(counts, {
    onFailure: () => "?" as const,
    onSuccess: (map) => Array.from(map.values()).reduce((sum, count) => sum + count, 0)
  })
