/** A gateway in a session of its own: it outlives who started it, and its end is seen as long as that one looks. */
import { Deferred, Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { HomeUnusable } from "./HomeLock.ts"
import * as LogFiles from "./logFiles.ts"
import { program } from "./program.ts"

/** The program did not even begin. */
export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { detail: Schema.String }) {
  override get message() {
    return `the gateway did not start: ${this.detail}`
  }
}

export interface Detached {
  /** 0 where it did not begin. */
  readonly pid: number
  /** Its exit status; null where a signal ended it. */
  readonly ended: Effect.Effect<number | null, NotStarted>
}

/** Of what started this command, be it a service manager or an older Node: they do not speak of the child. */
const ofThisProcess = new Set([
  "EVERGATE_HANDED_OVER",
  "EVERGATE_MANAGER",
  "INVOCATION_ID",
  "NOTIFY_SOCKET",
  "SYSTEMD_EXEC_PID",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "XPC_SERVICE_NAME"
])

/** Starts the program with these arguments; what it prints besides its log goes into the log too. */
export const start = (home: string, args: ReadonlyArray<string>): Effect.Effect<Detached, HomeUnusable> => {
  const { log } = LogFiles.pathsOf(home)
  return Effect.acquireUseRelease(
    Effect.try({
      try: () => LogFiles.open(log),
      catch: (cause) => new HomeUnusable({ path: log, detail: String(cause) })
    }),
    (output) => Effect.sync(() => detach(args, output)),
    (output) => Effect.sync(() => closeSync(output))
  )
}

const detach = (args: ReadonlyArray<string>, output: number): Detached => {
  const ended = Deferred.makeUnsafe<number | null, NotStarted>()
  const inherited = Object.entries(process.env).filter(([name]) => !ofThisProcess.has(name))
  const child = spawn(program.node, [program.main, ...args], {
    detached: true,
    stdio: ["ignore", output, output],
    env: { ...Object.fromEntries(inherited), [LogFiles.marker]: "1" }
  })
  child.once("error", ({ message }) => Deferred.doneUnsafe(ended, Effect.fail(new NotStarted({ detail: message }))))
  child.once("exit", (code) => Deferred.doneUnsafe(ended, Effect.succeed(code)))
  child.unref()
  return { pid: child.pid ?? 0, ended: Deferred.await(ended) }
}
