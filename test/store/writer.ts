/**
 * A gateway in miniature, to be killed: accepts and answers events as fast as it can, and says on standard output what the
 * store has acknowledged. Arguments: the database, a prefix for its ids.
 */
import { Effect, Option } from "effect"
import { writeSync } from "node:fs"
import { SessionKey } from "../../src/domain/Session.ts"
import { InboxStore } from "../../src/store/InboxStore.ts"
import { entry, message, reply, storesIn } from "./fixtures.ts"

const [, , filename = "", prefix = ""] = process.argv

const session = (lane: number) =>
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const key = SessionKey.make(`feishu:${prefix}-${lane}`)
    for (let i = 0; ; i++) {
      const id = `${prefix}-${lane}-${i}`
      yield* inbox.accept([entry(message(id), { session: key })])
      writeSync(1, `accepted ${id}\n`)
      const { seq } = Option.getOrThrow(yield* inbox.take(key, 1000))
      const replies = [reply(`${id}-a`), reply(`${id}-b`)]
      yield* inbox.finish({ seq, outcome: "ok", error: null, replies, endedAt: 2 })
      writeSync(1, `finished ${id}\n`)
    }
  })

await Effect.runPromise(
  Effect.forEach([0, 1, 2, 3], session, { concurrency: "unbounded" }).pipe(Effect.provide(storesIn(filename)))
)
