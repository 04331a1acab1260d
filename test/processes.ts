/** Real processes for the live tests: a program of ours in a Node of its own. */
import type { Duration, Scope } from "effect"
import { Deferred, Effect } from "effect"
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

export interface RunningOptions {
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** The Node to run; the one of the tests unless given. */
  readonly node?: string
  /** Node's own arguments. */
  readonly nodeArgs?: ReadonlyArray<string>
  /** Whose process it is; the tests' own unless given. */
  readonly uid?: number
}

/** A program that runs on while a test looks at it. */
export interface Running {
  readonly pid: number
  /** All that it printed so far. */
  readonly out: () => string
  readonly err: () => string
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Nobody reads what it prints any more. */
  readonly closeOutput: Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
  /** Looks again whenever it printed something; dies with all that it printed where nothing is seen in time. */
  readonly seen: <A>(what: string, look: (out: string) => A | undefined, within?: Duration.Input) => Effect.Effect<A>
}

/** Starts a program; with the scope it is killed, should it still run. */
export const startProgram = Effect.fnUntraced(function* (
  program: URL,
  args: ReadonlyArray<string>,
  { env, cwd, node = process.execPath, nodeArgs = [], uid }: RunningOptions
): Effect.fn.Return<Running, never, Scope.Scope> {
  const ended = yield* Deferred.make<Ended>()
  const listeners = new Set<() => void>()
  let [out, err] = ["", ""]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(node, [...nodeArgs, fileURLToPath(program), ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env,
        cwd,
        ...(uid === undefined ? {} : { uid, gid: uid })
      })
    ),
    (child) =>
      Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        Deferred.await(ended)
      )
  )
  const told = () => listeners.forEach((listener) => listener())
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    told()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
  })
  child.once("close", (code, signal) => {
    Deferred.doneUnsafe(ended, Effect.succeed({ code, signal, out, err }))
    told()
  })

  const sight = <A>(look: (out: string) => A | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const listener = () => {
        const found = look(out)
        if (found === undefined) return
        listeners.delete(listener)
        resume(Effect.succeed(found))
      }
      listeners.add(listener)
      listener()
      return Effect.sync(() => listeners.delete(listener))
    })
  return {
    pid: child.pid ?? 0,
    out: () => out,
    err: () => err,
    kill: (signal) => Effect.sync(() => void child.kill(signal)),
    closeOutput: Effect.sync(() => void child.stdout.destroy()),
    ended: Deferred.await(ended),
    seen: (what, look, within = "15 seconds") =>
      Effect.timeoutOrElse(sight(look), {
        duration: within,
        orElse: () => Effect.die(new Error(`not seen: ${what}\n${out}${err}`))
      })
  }
})
