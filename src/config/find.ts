/**
 * Where the configuration comes from: the file that was named, else `evergate.yaml` here or at home, else environment
 * variables alone, else the embedded defaults. A file that is there and cannot be read is told, never passed over.
 */
import { Effect, FileSystem, Path } from "effect"
import type { Document, Path as KeyPath } from "./document.ts"
import { at, made, read } from "./document.ts"
import { fromEnvironment, parseEnvFile } from "./environment.ts"
import type { Environment } from "./references.ts"
import { readBounded } from "./references.ts"
import type { Fault } from "./report.ts"
import type { LogLevel } from "./Settings.ts"
import { ConfigError, fault } from "./report.ts"

/** What was asked for on the command line. */
export interface Wanted {
  readonly config?: string | undefined
  readonly envFile?: string | undefined
  /** Instead of the configuration's. */
  readonly logLevel?: LogLevel | undefined
  /** The embedded defaults in a home of their own, whatever configuration or tokens lie about. */
  readonly demo?: boolean | undefined
  /** Beside those of the embedded defaults. */
  readonly platforms?: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined
}

/** Where the process runs. */
export interface Surroundings {
  readonly env: Environment
  readonly cwd: string
  readonly userHome: string
  /** An IANA zone; else the one of the process. */
  readonly timezone?: string | undefined
}

/** A configuration that was found and not read yet. */
export interface Found {
  readonly document: Document
  readonly source: string
  /** Where relative paths begin. */
  readonly folder: string
  readonly faults: ReadonlyArray<Fault>
  /** What those faults are about: nothing else is to be said of it. */
  readonly holes: ReadonlyArray<KeyPath>
  /** It could be read to its end, so that more can be said of it. */
  readonly isWhole: boolean
}

/** A local chat with the echo agent, and a job that speaks in it every minute. */
const embedded = {
  platforms: [{ id: "local", kind: "local" }],
  agent: { kind: "echo" },
  cron: [
    {
      id: "sample",
      schedule: "* * * * *",
      deliverTo: "local:me",
      text: "A minute has passed. This is the sample cron job."
    }
  ]
}

/** Variables of the process go before those of the file. */
export const withEnvFile = Effect.fnUntraced(function* (wanted: Wanted, { env, cwd }: Surroundings) {
  if (wanted.envFile === undefined || wanted.demo === true) return env
  const file = (yield* Path.Path).resolve(cwd, wanted.envFile)
  const text = yield* readBounded(file).pipe(Effect.mapError((why) => unreadable(file, "--env-file", why)))
  return { ...parseEnvFile(text), ...env }
})

const unreadable = (file: string, name: string, why: string): ConfigError =>
  new ConfigError({
    source: file,
    faults: [
      { path: name, line: null, expected: "a file", found: `${file}: ${why}`, hint: "check its name and rights" }
    ]
  })

/** The configuration that is to be taken. */
export const find = Effect.fnUntraced(function* (wanted: Wanted, here: Surroundings) {
  const path = yield* Path.Path
  const files = yield* FileSystem.FileSystem
  const nothingWrong = { folder: here.cwd, faults: [], holes: [], isWhole: true }
  const platforms = [...embedded.platforms, ...(wanted.platforms ?? [])]
  const embeddedAs = (source: string): Found => ({
    ...nothingWrong,
    document: made({ ...embedded, platforms }),
    source
  })
  if (wanted.demo === true) return embeddedAs("the embedded defaults of the demo")
  const named = wanted.config ?? (here.env["EVERGATE_CONFIG"] || undefined)
  const asker = wanted.config === undefined ? "EVERGATE_CONFIG" : "--config"
  if (named !== undefined) return yield* fromFile(path.resolve(here.cwd, named), asker)
  for (const folder of [here.cwd, defaultHome(path, here)]) {
    const file = path.join(folder, "evergate.yaml")
    const exists = yield* files
      .exists(file)
      .pipe(Effect.mapError(({ reason }) => unreadable(file, "evergate.yaml", reason._tag)))
    if (exists) return yield* fromFile(file, "evergate.yaml")
  }
  const document = fromEnvironment(here.env)
  if (document === null) return embeddedAs("the embedded defaults")
  return { ...nothingWrong, ...needsFile(document), document, source: "environment variables" }
})

const fromFile = Effect.fnUntraced(function* (file: string, asker: string) {
  const path = yield* Path.Path
  const text = yield* readBounded(file).pipe(Effect.mapError((why) => unreadable(file, asker, why)))
  const { document, faults, isWhole } = read(text)
  const found: Found = {
    document,
    source: file,
    folder: path.dirname(file),
    holes: [],
    isWhole,
    faults: faults.map(({ line, message }) => ({
      path: path.basename(file),
      line,
      expected: "YAML or JSON",
      found: message,
      hint: "correct the text there"
    }))
  }
  return found
})

/** No variable says whom a platform hears, and an agent other than echo wants that stated. */
const needsFile = (document: Document): Pick<Found, "faults" | "holes"> => {
  const path = ["agent", "url"]
  if (document.nameOf(path) !== "EVERGATE_AGENT_URL") return { faults: [], holes: [] }
  const missing = fault(document, path, {
    expected: "a configuration file beside it",
    found: "environment variables alone",
    hint: "write evergate.yaml with `access` on every platform: an agent other than echo answers nobody unasked"
  })
  const platforms = at(document.raw, ["platforms"])
  const count = Array.isArray(platforms) ? platforms.length : 0
  return { faults: [missing], holes: Array.from({ length: count }, (_, index) => ["platforms", index, "access"]) }
}

/** Where the state is kept, from what the configuration says of it. */
export const homeIn =
  (path: Path.Path, folder: string, here: Surroundings, { demo = false }: Wanted) =>
  (written: string | undefined): string => {
    if (written !== undefined) return absolute(path, folder, written, here.userHome)
    return demo ? path.join(defaultHome(path, here), "demo") : defaultHome(path, here)
  }

const defaultHome = (path: Path.Path, { env, cwd, userHome }: Surroundings): string =>
  absolute(path, cwd, env["EVERGATE_HOME"] || "~/.evergate", userHome)

/** A path as people write it: `~` is the user's home, and a relative one begins at the folder. */
const absolute = (path: Path.Path, folder: string, file: string, userHome: string): string =>
  path.resolve(
    folder,
    file.replace(/^~(?=\/|$)/, () => userHome)
  )
