/** Children of a benchmark, spoken to over IPC. */
import { fork } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Load, Measured } from "./far.ts"

export const start = (file: string, args: ReadonlyArray<string> = []): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [...args], {
    execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })

export const heard = <A>(child: ChildProcess, key: string): Promise<A> =>
  new Promise((resolve, reject) => {
    const listen = (message: Record<string, unknown>) => {
      if (!(key in message)) return
      child.off("message", listen)
      child.off("exit", failed)
      resolve(message[key] as A)
    }
    const failed = (code: number | null) => reject(new Error(`a process of the benchmark ended with ${code}`))
    child.on("message", listen)
    child.once("exit", failed)
  })

export const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.removeAllListeners("exit")
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })

export interface Far {
  readonly base: string
  readonly measure: (load: Load) => Promise<Measured>
}

/** A far end with one client connected to it. */
export const withFar = async <A>(
  client: (base: string) => ChildProcess,
  use: (far: Far, client: ChildProcess) => Promise<A>
): Promise<A> => {
  const far = start("far.ts")
  const port = await heard<number>(far, "port")
  const connected = heard(far, "connected")
  const child = client(`http://127.0.0.1:${port}`)
  await connected
  try {
    const measure = (load: Load) => {
      const measured = heard<Measured>(far, "measured")
      far.send(load)
      return measured
    }
    return await use({ base: `http://127.0.0.1:${port}`, measure }, child)
  } finally {
    await end(child)
    await end(far)
  }
}

export const withFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "evergate-bench-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const heapOf = async (child: ChildProcess): Promise<number> => {
  const answer = heard<number>(child, "heap")
  child.send("memory")
  return (await answer) / 1024 / 1024
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

/** One line a figure, with its ceiling from the same run. */
export const report = (what: string, ours: number, ceiling: number, unit: string, target: string): void => {
  console.log(
    `${what}: ${shown(ours)} ${unit}; ceiling ${shown(ceiling)} ${unit}; ratio ${(ours / ceiling).toFixed(2)} (${target})`
  )
}
