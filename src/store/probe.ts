/** A write that leaves nothing behind: whether the store takes writes again. */
import { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Database } from "./Database.ts"

/** Some pages: a store that has room for less than this is full. */
const filler = "x".repeat(64 * 1024)

/** Needs new pages and a flush, as what the gateway keeps does; an update in place would go well on a full disk. */
export const probe = ({ sql, write }: Database["Service"]): Effect.Effect<void, StoreError> =>
  write(
    "probe",
    Effect.gen(function* () {
      yield* sql`CREATE TABLE evergate_probe (filler TEXT)`
      yield* sql`INSERT INTO evergate_probe (filler) VALUES (${filler})`
      yield* sql`DROP TABLE evergate_probe`
    })
  )
