import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import { makeArrivals } from "../../src/layers/Arrivals.ts"
import { monotonicMillis } from "../../src/domain/monotonic.ts"

it.effect("an answer within the millisecond of its question is heard after it", () =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const monotonicTimeNanosUnsafe = () => 1_700_000n
    const fixed: Clock.Clock = {
      ...clock,
      monotonicTimeNanosUnsafe,
      monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe)
    }
    const asked = Effect.gen(function* () {
      const askedAt = yield* monotonicMillis
      const arrivals = yield* makeArrivals({ platform: PlatformId.make("acme") })
      arrivals.offer("an answer")
      return { askedAt, ...arrivals.heard() }
    })

    const { askedAt, byteAt, messageAt } = yield* Effect.provideService(asked, Clock.Clock, fixed)

    expect(byteAt).toBeGreaterThanOrEqual(askedAt)
    expect(messageAt).toBeGreaterThanOrEqual(askedAt)
  })
)
