/** How the process is told to stop, and what it does about errors outside of any fiber. The only listeners on `process`. */
import { Deferred, Effect } from "effect"
import type { Scope } from "effect"

type Signal = "SIGINT" | "SIGTERM"

const statuses: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 }

/** npm and terminals pass a signal on twice; what comes within this counts as one. */
const sameWithinMillis = 500

/**
 * Waits for the first request to stop. A later one ends the process at once. Listens until the scope closes; `onHangup` is
 * what SIGHUP asks for.
 */
export const stopRequested = Effect.fnUntraced(function* (
  onHangup: Effect.Effect<void>
): Effect.fn.Return<Effect.Effect<string>, never, Scope.Scope> {
  const first = yield* Deferred.make<string>()
  const run = Effect.runForkWith(yield* Effect.context())
  let askedAt: number | null = null

  const ask = (name: string, status: number) => {
    const now = performance.now()
    if (askedAt !== null && now - askedAt > sameWithinMillis) process.exit(status)
    askedAt ??= now
    Deferred.doneUnsafe(first, Effect.succeed(name))
  }
  const listeners = (Object.keys(statuses) as Array<Signal>).map((signal) => {
    const listener = () => ask(signal, statuses[signal])
    return { signal, listener }
  })
  // A terminal that closes sends it too, and takes the gateway with it as it takes everything else.
  const hangup = () => {
    if (process.stdout.isTTY) ask("SIGHUP", 129)
    else run(onHangup)
  }
  // The process that handed over to this one is gone.
  const orphaned = () => ask("the end of the parent process", statuses.SIGTERM)

  yield* Effect.acquireRelease(
    Effect.sync(() => {
      for (const { signal, listener } of listeners) process.on(signal, listener)
      process.on("SIGHUP", hangup)
      if (process.env["EVERGATE_HANDED_OVER"] !== undefined) process.once("disconnect", orphaned)
    }),
    () =>
      Effect.sync(() => {
        for (const { signal, listener } of listeners) process.off(signal, listener)
        process.off("SIGHUP", hangup)
        process.off("disconnect", orphaned)
      })
  )
  return Deferred.await(first)
})

/**
 * An exception outside of any fiber is a bug in a state that nobody knows: it is logged with its stack and the process
 * ends with 70. An unhandled rejection is a logged defect, and the process goes on.
 */
export const lastResort: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function* () {
  const context = yield* Effect.context()
  const log = Effect.runForkWith(context)

  const uncaught = (error: Error) => {
    log(Effect.logFatal("uncaught exception").pipe(Effect.annotateLogs({ error: error.stack ?? String(error) })))
    process.exit(70)
  }
  const unhandled = (reason: unknown) => {
    const error = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
    log(Effect.logError("unhandled rejection").pipe(Effect.annotateLogs({ error })))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      process.on("uncaughtException", uncaught)
      process.on("unhandledRejection", unhandled)
    }),
    () =>
      Effect.sync(() => {
        process.off("uncaughtException", uncaught)
        process.off("unhandledRejection", unhandled)
      })
  )
})

/** A net under the stop: when nothing else has ended the process by then, this does. Keeps nothing alive by itself. */
export const endWithin = (millis: number, status: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const log = Effect.runForkWith(yield* Effect.context())
    const end = () => {
      log(Effect.logWarning("the stop took too long; what is left is in the store"))
      process.exit(status)
    }
    yield* Effect.sync(() => void setTimeout(end, millis).unref())
  })
