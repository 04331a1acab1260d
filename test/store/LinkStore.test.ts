import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import type { LinkChange } from "../../src/domain/LinkState.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import { feishu, memory } from "./fixtures.ts"

const slack = PlatformId.make("slack")

const change = (at: number): LinkChange => ({
  at,
  state: "backoff",
  kind: "KeepaliveTimeout",
  message: "path clock",
  attempt: 1,
  nextAttemptAt: at + 1000
})

describe("LinkStore", () => {
  it.effect("gives the timeline back newest first, and keeps the newest 1,000 of a platform", () =>
    Effect.gen(function* () {
      const links = yield* LinkStore
      yield* links.record(slack, { ...change(1), kind: null, message: null, nextAttemptAt: null })
      yield* Effect.forEach(Array.from({ length: 1003 }), (_, i) => links.record(feishu, change(i)))

      const newest = yield* links.timeline(feishu, 2)
      const all = yield* links.timeline(feishu, 2000)

      expect(newest).toMatchObject([change(1002), change(1001)])
      expect([all.length, all.at(-1)?.at]).toEqual([1000, 3])
      expect(yield* links.timeline(slack, 10)).toHaveLength(1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("forgets a resume token", () =>
    Effect.gen(function* () {
      const links = yield* LinkStore
      const inbox = yield* InboxStore
      yield* inbox.accept([], { platform: feishu, token: "7" })
      yield* inbox.accept([], { platform: slack, token: "9" })

      yield* links.forget(feishu)

      expect([yield* links.resume(feishu), yield* links.resume(slack)]).toEqual([null, "9"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows the settings that connected last, a platform each", () =>
    Effect.gen(function* () {
      const links = yield* LinkStore
      yield* links.proved(feishu, "a")
      yield* links.proved(feishu, "b")

      const known = [
        yield* links.wasProved(feishu, "a"),
        yield* links.wasProved(feishu, "b"),
        yield* links.wasProved(slack, "b")
      ]

      expect(known).toEqual([false, true, false])
    }).pipe(Effect.provide(memory))
  )
})
