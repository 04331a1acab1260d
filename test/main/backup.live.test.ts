/** `evergate backup`, with a gateway that runs and without one, and the way back from it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Place } from "../service.ts"
import { command, gateway, place, until } from "../service.ts"

const database = ({ home }: Place): string => join(home, "evergate.db")

/** What a crashed disk leaves: nothing. */
const lose = (here: Place) =>
  Effect.sync(() => ["", "-wal", "-shm"].forEach((end) => rmSync(`${database(here)}${end}`, { force: true })))

describe.concurrent("evergate backup", { timeout: 40_000 }, () => {
  it.live("copies what is written to, and nothing that was in it is lost after the database was", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const target = join(here.folder, "copy.db")
      const running = yield* gateway(here)
      let kept = 0
      const writing = yield* Effect.forkScoped(
        Effect.forever(
          Effect.map(running.post("/api/messages", { to: "local:me", text: `line ${kept}` }), () => kept++)
        )
      )
      yield* until(
        Effect.sync(() => kept),
        (count) => count > 50
      )
      const before = kept

      const copied = yield* command(here, ["backup", target, "--json"])
      yield* Fiber.interrupt(writing)
      yield* running.kill("SIGKILL")
      yield* running.ended
      yield* lose(here)
      yield* Effect.sync(() => renameSync(target, database(here)))
      const restored = yield* gateway(here)
      const { outbox, store } = yield* restored.statusWhere(({ outbox }) => outbox.pending === 0)
      const { code } = yield* restored.stop()

      assert.strictEqual(copied.code, 0, copied.err)
      assert.containSubset(JSON.parse(copied.out), { file: target })
      assert.isAtLeast(outbox.delivered, before)
      assert.isAtMost(outbox.delivered, kept + 1)
      assert.isTrue(store.ok)
      assert.strictEqual(code, 0)
    })
  )

  it.live("is of this user alone, overwrites nothing, leaves nothing half-written, and needs no gateway", () =>
    Effect.gen(function* () {
      const here = yield* place()
      const target = join(here.folder, "copy.db")
      const nothing = yield* command(here, ["backup", target])
      const running = yield* gateway(here)
      yield* running.stop()
      const original = readFileSync(database(here))

      const copied = yield* command(here, ["backup", target])
      const first = readFileSync(target)
      const again = yield* command(here, ["backup", target])
      const nowhere = yield* command(here, ["backup", join(here.folder, "none", "copy.db")])
      yield* Effect.sync(() => writeFileSync(database(here), original.subarray(0, original.length / 2)))
      const cut = yield* command(here, ["backup", join(here.folder, "cut.db")])

      assert.deepStrictEqual(
        [nothing, copied, again, nowhere, cut].map(({ code }) => code),
        [74, 0, 1, 1, 74]
      )
      assert.include(nothing.err, "there is no database; has the gateway run in this home?")
      assert.match(copied.out, /copy\.db: \d+ bytes, checked\n$/)
      assert.include(again.err, "it is there already, and is not overwritten")
      assert.include(cut.err, "cut short")
      assert.strictEqual(statSync(target).mode & 0o777, 0o600)
      assert.isTrue(first.equals(readFileSync(target)))
      assert.deepStrictEqual(readdirSync(here.folder).toSorted(), ["copy.db", "evergate.json", "home"])
    })
  )
})
