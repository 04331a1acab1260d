/** The units of service managers that run the gateway of a home, as they lie on the disk. */
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { ServiceView } from "../doctor/Machine.ts"

/** Where systemd and launchd look. */
const folders: ReadonlyArray<string> = [
  join(homedir(), ".config/systemd/user"),
  "/etc/systemd/system",
  join(homedir(), "Library/LaunchAgents")
]

const unit = /\.(service|plist)$/

/** Those that name this home; of others' gateways nothing is said. */
export const services = (home: string): Effect.Effect<ReadonlyArray<ServiceView>> =>
  Effect.sync(() =>
    folders
      .flatMap((folder) => list(folder).map((file) => join(folder, file)))
      .flatMap((file) => {
        const text = read(file)
        return names(text, home) ? [{ file, ...factsOf(text) }] : []
      })
  )

const names = (text: string, home: string): boolean =>
  text.includes(`EVERGATE_HOME=${home}"`) ||
  text.includes(`EVERGATE_HOME=${home} `) ||
  text.replaceAll(/>\s+</g, "><").includes(`<key>EVERGATE_HOME</key><string>${home}</string>`)

const factsOf = (text: string): Omit<ServiceView, "file"> => {
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? /<key>ExitTimeOut<\/key>\s*<integer>(\d+)/.exec(text)
  const program =
    /^ExecStart="?([^\s"]+)/m.exec(text) ?? /<key>ProgramArguments<\/key>\s*<array>\s*<string>([^<]+)/.exec(text)
  const node = program?.[1] ?? null
  return {
    stopMillis: seconds === null ? null : Number(seconds[1]) * 1_000,
    missing: node === null || existsSync(node) ? null : node
  }
}

/** A folder or a file that is not there, or not ours to read, names nothing. */
const list = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).filter((name) => unit.test(name))
  } catch {
    return []
  }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
