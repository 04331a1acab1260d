/** What a `${…}` stands for: `${NAME}`, `${NAME:-default}`, `${file:/path}`. */
import { ByteSize, Effect, FileSystem, Path } from "effect"

export type Environment = Readonly<Record<string, string | undefined>>

/** What it stands for, or why for nothing. */
export type Resolved =
  | { readonly _tag: "Value"; readonly value: string }
  | { readonly _tag: "Missing"; readonly found: string; readonly hint: string }

const value = (text: string): Resolved => ({ _tag: "Value", value: text })
const missing = (found: string, hint: string): Resolved => ({ _tag: "Missing", found, hint })

/** The largest file that `${file:…}` and `--env-file` read. */
export const largestFile = ByteSize.mebibytes(1)

/** Resolves what stands between the braces; files are looked for from the folder of the configuration. */
export const resolve = Effect.fnUntraced(function* (reference: string, env: Environment, folder: string) {
  if (reference.startsWith("file:")) return yield* resolveFile(reference.slice("file:".length), folder)
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/.exec(reference)
  const [, name, fallback] = match ?? []
  if (name === undefined) {
    return missing(`\${${reference}}`, "write ${NAME}, ${NAME:-default} or ${file:/path}; $${ stands for ${ itself")
  }
  const set = env[name]
  if (set !== undefined && set !== "") return value(set)
  if (fallback !== undefined) return value(fallback)
  return set === undefined
    ? missing(`nothing: ${name} is not set`, `set the environment variable ${name}, or use --env-file`)
    : value("")
})

/** A secret's file mostly ends with a line break that is not part of it. */
const resolveFile = Effect.fnUntraced(function* (file: string, folder: string) {
  const path = (yield* Path.Path).resolve(folder, file)
  const read = yield* Effect.result(readBounded(path))
  return read._tag === "Success"
    ? value(read.success.replace(/\r?\n$/, ""))
    : missing(`nothing: ${path} cannot be read (${read.failure})`, "check that the file is there and may be read")
})

/** A text file, or why it cannot be read. */
export const readBounded = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const info = yield* Effect.mapError(files.stat(path), ({ reason }) => reason._tag)
  if (info.type !== "File") return yield* Effect.fail(`it is no file but a ${info.type}`)
  if (ByteSize.toBigInt(info.size) > ByteSize.toBigInt(largestFile))
    return yield* Effect.fail(`it is larger than ${ByteSize.format(largestFile)}`)
  return yield* Effect.mapError(files.readFileString(path), ({ reason }) => reason._tag)
})
