import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Statement } from "effect/sql"
import type { StoreError } from "../../src/domain/Errors.ts"
import { JobId } from "../../src/domain/Job.ts"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import { Database } from "../../src/store/Database.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import { LinkStore } from "../../src/store/LinkStore.ts"
import * as InboxTable from "../../src/store/inboxTable.ts"
import { OutboxStore } from "../../src/store/OutboxStore.ts"
import { fromSqlError } from "../../src/store/storeError.ts"
import { feishu, job, memory, session } from "./fixtures.ts"

/** Everything that is read while the gateway runs. */
const reads = Effect.gen(function* () {
  const inbox = yield* InboxStore
  const outbox = yield* OutboxStore
  const jobs = yield* JobStore
  const links = yield* LinkStore
  const chat = { platform: feishu, chat: "oc_1", thread: null }
  yield* jobs.put(job("morning"))
  const asked: ReadonlyArray<Effect.Effect<unknown, StoreError>> = [
    Effect.mapError(InboxTable.take((yield* Database).sql, session, 1000), (cause) => fromSqlError("take", cause)),
    inbox.waiting,
    inbox.unprocessed,
    outbox.next(feishu, "oc_1"),
    outbox.lanes(feishu),
    outbox.counts,
    outbox.list("pending", 10),
    outbox.list("dead", 10),
    outbox.find(DeliveryId.make("d1")),
    outbox.transcript(chat, 10),
    jobs.list,
    jobs.running(JobId.make("morning")),
    links.timeline(feishu, 10)
  ]
  return asked
})

describe("what the store is asked all the time", () => {
  it.effect("never walks the past: each question has an index that holds no more than its answer", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      const asked: Array<Statement.Statement<unknown>> = []
      const listen: Statement.Transformer = (statement) => Effect.sync(() => (asked.push(statement), statement))

      for (const read of yield* reads) {
        yield* Effect.provideService(read, Statement.CurrentTransformer, listen)
      }

      const plans = yield* Effect.forEach(asked, (statement) => {
        const [text, parameters] = statement.compile()
        return sql.unsafe<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters)
      })
      const scans = plans
        .flat()
        .map(({ detail }) => detail)
        .filter((detail) => /^SCAN (inbox|outbox|cron_runs|timeline|refused)\b/.test(detail))
      expect(asked.length).toBeGreaterThan(13)
      expect(scans.filter((detail) => !/USING (COVERING )?INDEX \w+_(waiting|dead)$/.test(detail))).toEqual([])
      expect(scans.length).toBeGreaterThan(2)
    }).pipe(Effect.provide(memory))
  )
})
