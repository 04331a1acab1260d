/** Which files others of this machine may read, though they hold a secret or what people wrote. */
import { Effect, Redacted } from "effect"
import { readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, resolve } from "node:path"
import type { Exposed, Machine } from "../doctor/Machine.ts"

type Files = Parameters<Machine["Service"]["exposed"]>[0]

export const exposed = ({ database, envFile, home, secrets, source }: Files): Effect.Effect<ReadonlyArray<Exposed>> =>
  Effect.sync(() => {
    const text = source === null || !isAbsolute(source) ? "" : read(source)
    const holdsSecret = secrets.some((secret) => Redacted.value(secret) !== "" && text.includes(Redacted.value(secret)))
    const files: ReadonlyArray<Exposed> = [
      ...(holdsSecret && source !== null ? [{ path: source, holds: "a secret in the clear" }] : []),
      ...(source === null ? [] : secretFiles(text, source)),
      ...(envFile === null ? [] : [{ path: resolve(envFile), holds: "variables with secrets" }]),
      { path: home, holds: "the gateway's files" },
      { path: database, holds: "what people wrote" }
    ]
    return files.filter(({ path }) => isOpen(path))
  })

/** What `${file:…}` names. */
const secretFiles = (text: string, source: string): ReadonlyArray<Exposed> =>
  Array.from(text.matchAll(/\$\{file:([^}]+)\}/g), ([, file = ""]) => ({
    path: resolve(dirname(source), file),
    holds: "a secret"
  }))

/** What is not there is open to nobody, nor is what cannot be read. */
const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const isOpen = (path: string): boolean => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && (stat.mode & 0o044) !== 0
}
