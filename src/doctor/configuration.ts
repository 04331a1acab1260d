/** The configuration and its secrets: there, shaped right, and this user's alone. */
import { Effect } from "effect"
import type { Loaded } from "../config/load.ts"
import type { ConfigError } from "../config/report.ts"
import type { Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import { Machine } from "./Machine.ts"

const look = about(null)

/** All faults, each a line of its own. */
export const faultsOf = ({ faults, source }: ConfigError): ReadonlyArray<Finding> =>
  faults.map(({ expected, found, hint, line, path }) =>
    about(path).fail(
      "configuration",
      `${source}${line === null ? "" : `, line ${line}`}: expected ${expected}; found ${found}`,
      hint.startsWith("see ") ? `set ${path} to ${expected.replace(/^the /, "its ")}; ${hint}` : hint
    )
  )

export const loadedFrom = ({ secrets, settings, source }: Loaded): Finding =>
  look.ok(
    "configuration",
    `${source}: platforms ${settings.platforms.map(({ id }) => id).join(", ") || "none"}; secrets: ${secrets.length}, none a placeholder`
  )

/** Whoever shares the machine is not to read what the gateway knows. */
export const examineFiles = (files: Parameters<Machine["Service"]["exposed"]>[0]) =>
  Effect.gen(function* () {
    const { exposed } = yield* Machine
    const found = yield* exposed(files)
    return found.length === 0
      ? [look.ok("files", "none that holds a secret or a message can be read by others")]
      : found.map(({ path, holds }) =>
          look.warn("files", `${path} can be read by others, and holds ${holds}`, `chmod go-rwx ${path}`)
        )
  })
