/**
 * The doctor at home: the gateway looked at by itself. It knows that it runs and how its links are; its database is read by the
 * connection that it has, since to open and close the file once more would let go of the locks that SQLite holds on it.
 */
import { Effect, Layer, Ref } from "effect"
import type { Feed } from "../actors/Feed.ts"
import type { Notices } from "../actors/Notices.ts"
import type { Supervision } from "../actors/Supervision.ts"
import * as Daily from "../doctor/daily.ts"
import { diagnose } from "../doctor/diagnose.ts"
import type { StoreView } from "../doctor/Machine.ts"
import { Machine } from "../doctor/Machine.ts"
import type { StoreError } from "../domain/Errors.ts"
import { Database } from "../store/Database.ts"
import { overview } from "../store/overview.ts"
import * as ThisMachine from "./machine.ts"
import { InForce } from "./InForce.ts"
import * as File from "./sqliteFile.ts"
import { fileOf } from "./Store.ts"

/** Reading it through holds the event loop for about 50 ms. */
const checkedBytes = 64 * 1024 * 1024

const storeOf = Effect.fnUntraced(function* (
  { health, read, sql }: Database["Service"],
  file: string,
  platforms: ReadonlyArray<string>
): Effect.fn.Return<StoreView, StoreError> {
  const { bytes } = yield* health
  const isRead = bytes <= checkedBytes
  const [verdict] = isRead ? yield* read("check", sql<{ quick_check: string }>`PRAGMA quick_check(1)`) : []
  if (verdict !== undefined && verdict.quick_check !== "ok") {
    return yield* File.unusable(file, `the database is corrupt (${verdict.quick_check}); restore it from a backup`)
  }
  const kept = yield* read("overview", overview(sql, platforms))
  return { bytes, integrity: isRead ? "sound" : "too large to read through here", kept }
})

/** This machine, with the database that is open already. */
export const machine: Layer.Layer<Machine, never, Database> = Layer.effect(
  Machine,
  Effect.gen(function* () {
    const database = yield* Database
    return Machine.of({ ...(yield* Machine), store: (file, platforms) => storeOf(database, file, platforms) })
  })
).pipe(Layer.provide(ThisMachine.layer))

/** By the configuration that is in force at the time of the visit. */
export const layer: Layer.Layer<never, never, Feed | Notices | Supervision | InForce | Database> = Layer.unwrap(
  Effect.gen(function* () {
    const inForce = yield* InForce
    const seen = yield* Machine
    const examine = Effect.gen(function* () {
      const { loaded } = yield* Ref.get(inForce)
      const { settings } = loaded
      const place = { home: settings.home, database: fileOf(settings) }
      return yield* diagnose({ loaded, place, envFile: null, answer: null, checkedBytes })
    })
    return Daily.layer(Effect.provideService(examine, Machine, seen))
  })
).pipe(Layer.provide(machine))
