/**
 * Runs before Effect loads: on a Node that is too old the process hands itself over to the pinned one, or says what it
 * needs. Node's own modules only, and nothing that an old Node lacks.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const needed = 24

const major = (version: string): number => Number(version.split(".")[0])

/** The binary of the `node` package beside this one; undefined where it is not installed or not run by its install script. */
const pinned = (): string | undefined => {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("node/package.json"))
    const binary = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node")
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

/** A service manager watches the process that it started; a child in its place would escape it. */
const isManaged = (): boolean =>
  process.env["EVERGATE_MANAGER"] !== undefined ||
  process.env["INVOCATION_ID"] !== undefined ||
  process.env["NOTIFY_SOCKET"] !== undefined

const refuse = (why: string): never => {
  process.stderr.write(
    `evergate needs Node ${needed} or later; this is ${process.versions.node}${why}. Start it with Node ${needed}, for example by its path\n`
  )
  process.exit(78)
}

/** True when this Node will do. Otherwise the pinned one has taken over, and its end is this process's end. */
export const handOver = (): boolean => {
  if (major(process.versions.node) >= needed) return true
  if (isManaged()) return refuse(", and a service manager must start the right one itself")
  const node = pinned()
  if (node === undefined) return refuse("")
  // The channel tells the child when this process is gone: its end is a stop, so that no orphan keeps the lock.
  const child = spawn(node, process.argv.slice(1), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, EVERGATE_HANDED_OVER: "1" }
  })
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, pass)
  child.on("error", (error) => refuse(`, and the pinned one did not start (${error.message})`))
  child.on("exit", (code, signal) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, pass)
    if (signal === null) process.exit(code ?? 70)
    process.kill(process.pid, signal)
  })
  return false
}
