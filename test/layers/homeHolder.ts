/**
 * Tries to hold a home, says how that went, and holds it until it is killed or its time is over.
 * Arguments: the home, milliseconds to hold it, and the instant at which to try, so that several try at once.
 */
import { Effect, Logger } from "effect"
import { writeSync } from "node:fs"
import * as HomeLock from "../../src/layers/HomeLock.ts"

const [, , home = "", holdMillis = "0", at = "0"] = process.argv

while (Date.now() < Number(at));

const outcome = await Effect.runPromise(
  HomeLock.acquire(home).pipe(
    Effect.andThen(Effect.sync(() => writeSync(1, "held\n"))),
    Effect.andThen(Effect.sleep(Number(holdMillis))),
    Effect.as("released"),
    Effect.scoped,
    Effect.catchTags({
      HomeHeld: (error) => Effect.succeed(`refused by ${error.holder.pid}`),
      HomeUnusable: (error) => Effect.succeed(`unusable: ${error.message}`)
    }),
    Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatSimple)]))
  )
)
writeSync(1, `${outcome}\n`)
