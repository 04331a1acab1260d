import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Random, Schedule } from "effect"
import * as LinkError from "../../src/domain/LinkError.ts"
import type { LinkErrorReason } from "../../src/domain/LinkError.ts"
import { defaults } from "../../src/domain/LinkSettings.ts"
import type { Retry } from "../../src/domain/LinkSettings.ts"
import type { History } from "../../src/schedules/reconnect.ts"
import { judge, noHistory, reconnect } from "../../src/schedules/reconnect.ts"

const exact: Retry = { ...defaults.retry, jitter: "none", max: Duration.seconds(30) }
const reset = new LinkError.NoCloseFrame({ detail: "reset" })

/** The waits in seconds that a row of failures gets, one after the other, `apart` milliseconds from each other. */
const waits = (retry: Retry, reasons: ReadonlyArray<LinkErrorReason>, proved = false, apart = 0) =>
  Effect.gen(function* () {
    const step = yield* Schedule.toStep(reconnect(retry))
    let history: History = noHistory
    const seen: Array<readonly [string, number]> = []
    for (const [index, reason] of reasons.entries()) {
      const [setback, next] = judge(reason, history, proved, index * apart)
      history = next
      const [, delay] = yield* step(0, setback)
      seen.push([setback.state, Duration.toSeconds(delay)])
    }
    return seen
  })

describe("reconnect", () => {
  it.effect("F028: first at once, then base doubled up to max", () =>
    Effect.gen(function* () {
      const seen = yield* waits(
        exact,
        Array.from({ length: 8 }, () => reset)
      )

      assert.deepStrictEqual(
        seen.map(([, wait]) => wait),
        [0, 1, 2, 4, 8, 16, 30, 30]
      )
    })
  )

  it.effect("F029: goes on without end", () =>
    Effect.gen(function* () {
      const seen = yield* waits(
        exact,
        Array.from({ length: 500 }, () => reset)
      )

      assert.deepStrictEqual(seen.at(-1), ["backoff", 30])
    })
  )

  it.effect("full jitter draws from nothing up to the backoff", () =>
    Effect.gen(function* () {
      const seen = yield* waits(
        { ...exact, jitter: "full" },
        Array.from({ length: 200 }, () => reset)
      )
      const late = seen.slice(10).map(([, wait]) => wait)

      assert.isBelow(Math.min(...late), 3)
      assert.isAbove(Math.max(...late), 27)
      assert.isAtMost(Math.max(...late), 30)
    }).pipe(Random.withSeed("jitter"))
  )

  const limit = new LinkError.ConnectionLimit({ code: "1000040350", detail: "" })
  const conflict = new LinkError.Conflict({ detail: "" })
  const auth = new LinkError.Auth({ code: "514", detail: "" })
  const defect = new LinkError.Defect({ detail: "" })
  const told = new LinkError.Bootstrap({ code: "429", detail: "", retryAfterMillis: 7_000 })

  it.effect("F032: too many connections waits at least a minute", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* waits(exact, [limit, limit]), [
        ["backoff", 60],
        ["backoff", 60]
      ])
    })
  )

  it.effect("F017: a wait that the platform names is a floor", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* waits(exact, [told, told]), [
        ["backoff", 7],
        ["backoff", 7]
      ])
    })
  )

  it.effect("F044: a conflict waits 30 to 60 s, and fails when it comes again within 5 minutes", () =>
    Effect.gen(function* () {
      const [first, second] = yield* waits(exact, [conflict, conflict], false, 60_000)
      const apart = yield* waits(exact, [conflict, conflict], false, 300_000)

      assert.strictEqual(first?.[0], "backoff")
      assert.isTrue((first?.[1] ?? 0) >= 30 && (first?.[1] ?? 0) <= 60)
      assert.deepStrictEqual(second, ["failed", 300])
      assert.strictEqual(apart[1]?.[0], "backoff")
    })
  )

  it.effect("F061: refused credentials fail, and are asked again every 5 minutes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* waits(exact, [auth, auth]), [
        ["failed", 300],
        ["failed", 300]
      ])
    })
  )

  it.effect("credentials that have worked get two minutes of ordinary retries first", () =>
    Effect.gen(function* () {
      const seen = yield* waits(exact, [auth, auth, auth, auth], true, 50_000)

      assert.deepStrictEqual(seen, [
        ["backoff", 0],
        ["backoff", 1],
        ["backoff", 2],
        ["failed", 300]
      ])
    })
  )

  it.effect("a bug waits like any failure, and 5 in a minute wait 5 minutes", () =>
    Effect.gen(function* () {
      const seen = yield* waits(exact, [defect, defect, defect, defect, defect], false, 1_000)
      const rare = yield* waits(exact, [defect, defect, defect, defect, defect], false, 20_000)

      assert.deepStrictEqual(
        seen.map(([, wait]) => wait),
        [0, 1, 2, 4, 300]
      )
      assert.deepStrictEqual(
        rare.map(([, wait]) => wait),
        [0, 1, 2, 4, 8]
      )
    })
  )
})
