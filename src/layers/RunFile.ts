/** `gateway.json` in the home: where the running gateway is to be asked. Commands read it; it goes with the gateway. */
import { Effect, Option, Schema } from "effect"
import type { Scope } from "effect"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const RunFile = Schema.Struct({ pid: Schema.Int, url: Schema.String })
export type RunFile = typeof RunFile.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(RunFile))
const pathOf = (home: string): string => join(home, "gateway.json")

/**
 * To be written when the gateway listens; it goes with this scope, which outlives the drain: a stop can be asked what it waits
 * for. That it cannot be written, or taken away, is said, and costs no more than finding it.
 */
export const make = (home: string): Effect.Effect<(url: string) => Effect.Effect<void>, never, Scope.Scope> =>
  Effect.as(
    Effect.addFinalizer(() => orSaid("gateway.json stays behind", () => rmSync(pathOf(home), { force: true }))),
    (url) =>
      orSaid("gateway.json not written", () =>
        writeFileSync(pathOf(home), `${JSON.stringify({ pid: process.pid, url })}\n`, { mode: 0o600 })
      )
  )

const orSaid = (what: string, run: () => void): Effect.Effect<void> =>
  Effect.try({ try: run, catch: String }).pipe(
    Effect.catch((error) => Effect.logWarning(what).pipe(Effect.annotateLogs({ error })))
  )

/** None where no gateway wrote one, or what is there is not one. */
export const read = (home: string): Effect.Effect<Option.Option<RunFile>> =>
  Effect.try({ try: () => readFileSync(pathOf(home), "utf8"), catch: String }).pipe(
    Effect.map(decode),
    Effect.orElseSucceed(() => Option.none())
  )
