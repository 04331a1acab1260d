/** A gateway in a process of its own, which outlives who started it. */
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import type { Holder } from "./holder.ts"
import { isAlive } from "./holder.ts"
import * as LogFiles from "./logFiles.ts"
import { program } from "./program.ts"

export interface Detached {
  readonly pid: number
  /** How it ended; none while it runs. */
  readonly ended: Effect.Effect<Option.Option<number>>
}

/** What it is not to take from the shell: it is handed over by nobody, and its starter is no service manager. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, EVERGATE_HANDED_OVER: undefined })

/** Starts the program with these arguments; what it prints besides its log goes into the log too. */
export const start = (
  home: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.Effect<Detached, string> =>
  Effect.try({
    try: () => {
      const output = LogFiles.open(LogFiles.pathsOf(home).log)
      const child = spawn(program.node, [program.main, ...args], {
        detached: true,
        stdio: ["ignore", output, output],
        env: { ...environment(), ...env }
      })
      closeSync(output)
      let ended: Option.Option<number> = Option.none()
      child.on("exit", (code) => (ended = Option.some(code ?? 1)))
      child.on("error", () => (ended = Option.some(1)))
      child.unref()
      return { pid: child.pid ?? 0, ended: Effect.sync(() => ended) }
    },
    catch: String
  })

/** Signals a holder; whether it is gone shows by `isGone`. */
export const signal = ({ pid }: Holder, name: NodeJS.Signals): Effect.Effect<void> =>
  Effect.ignore(Effect.try({ try: () => process.kill(pid, name), catch: String }))

export const isGone = (holder: Holder): Effect.Effect<boolean> => Effect.sync(() => !isAlive(holder))
