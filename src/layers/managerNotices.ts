/**
 * What a service manager hears of the gateway while it runs: ready, stopping, alive. Node has no datagram sockets, so systemd's
 * own `systemd-notify` says it; without `NOTIFY_SOCKET` nobody listens and nothing is said.
 */
import { Duration, Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { execFile } from "node:child_process"

export type Notice = "ready" | "stopping" | "watchdog"

const words: Readonly<Record<Notice, ReadonlyArray<string>>> = {
  ready: ["READY=1", `MAINPID=${process.pid}`],
  stopping: ["STOPPING=1"],
  watchdog: ["WATCHDOG=1"]
}

const patienceMillis = 5_000

type Environment = Readonly<Record<string, string | undefined>>

/** Says it, where a manager listens. That it could not be said is a WARN: the manager will judge by its own clock. */
export const notify = (notice: Notice, env: Environment = process.env): Effect.Effect<void> => {
  if (env["NOTIFY_SOCKET"] === undefined) return Effect.void
  return Effect.callback<void, Error>((resume) => {
    const child = execFile("systemd-notify", words[notice], { timeout: patienceMillis }, (error) =>
      resume(error === null ? Effect.void : Effect.fail(error))
    )
    return Effect.sync(() => void child.kill())
  }).pipe(
    Effect.catch((error) =>
      Effect.logWarning("the service manager was not told").pipe(Effect.annotateLogs({ notice, error: error.message }))
    )
  )
}

/** Pings at half of the manager's patience while the scope is open; `WATCHDOG_USEC` says how long that is. */
export const pinging = (env: Environment = process.env): Effect.Effect<void, never, Scope.Scope> => {
  const micros = Number(env["WATCHDOG_USEC"] ?? Number.NaN)
  if (!(micros > 0)) return Effect.void
  return Effect.asVoid(
    Effect.forkScoped(Effect.repeat(notify("watchdog", env), Schedule.spaced(Duration.millis(micros / 2_000))))
  )
}
