/** Real processes for the live tests: a program of ours in a Node of its own. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** Runs a program to its end; `onOutput` sees all output so far and may kill it. */
export const runProgram = (
  program: URL,
  args: ReadonlyArray<string>,
  options: { readonly onOutput?: (out: string, kill: () => void) => void; readonly uid?: number } = {}
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid })
    })
    let out = ""
    let err = ""
    const kill = () => void child.kill("SIGKILL")
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      options.onOutput?.(out, kill)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text
    })
    child.once("close", (code, signal) => resume(Effect.succeed({ code, signal, out, err })))
    return Effect.sync(kill)
  })
