/** Puts a gateway into the hands of the machine's service manager, and takes it out again. Its home is never touched. */
import { Duration, Effect, FileSystem, Path, Schema } from "effect"
import { execFile } from "node:child_process"
import { userInfo } from "node:os"
import type { ServiceFacts } from "./serviceUnit.ts"
import { launchdPlist, systemdUnit } from "./serviceUnit.ts"

export class ManagerFailed extends Schema.TaggedError<ManagerFailed>()("ManagerFailed", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

export interface Manager {
  readonly name: "systemd" | "launchd"
  /** Where the unit is written. */
  readonly file: string
  readonly unit: (facts: ServiceFacts) => string
  /** Commands that make the manager take the unit as it is now, and run it. */
  readonly taking: ReadonlyArray<ReadonlyArray<string>>
  /** Commands that stop it and make it stay down; a unit that is not known is none of their failures. */
  readonly leaving: ReadonlyArray<ReadonlyArray<string>>
  /** After the unit's file is gone. */
  readonly forgetting: ReadonlyArray<ReadonlyArray<string>>
}

export interface ManagerOptions {
  readonly platform: NodeJS.Platform
  readonly userHome: string
  readonly uid: number
  readonly name: string
  /** systemd alone: with the machine instead of the user's session. */
  readonly system: boolean
}

/** The manager of this machine. */
export const managerHere = (options: Pick<ManagerOptions, "name" | "system" | "userHome">): Manager | null =>
  managerOf({ ...options, platform: process.platform, uid: userInfo().uid })

/** The manager of a kind of machine; null where there is none that we know. */
export const managerOf = ({ name, platform, system, uid, userHome }: ManagerOptions): Manager | null => {
  switch (platform) {
    case "linux": {
      const control = system ? ["systemctl"] : ["systemctl", "--user"]
      const folder = system ? "/etc/systemd/system" : `${userHome}/.config/systemd/user`
      const service = `${name}.service`
      return {
        name: "systemd",
        file: `${folder}/${service}`,
        unit: (facts) => systemdUnit(facts, system ? "system" : "user"),
        taking: [
          [...control, "daemon-reload"],
          [...control, "enable", "--now", service]
        ],
        leaving: [[...control, "disable", "--now", service]],
        forgetting: [[...control, "daemon-reload"]]
      }
    }
    case "darwin": {
      const label = `dev.evergate.${name}`
      const file = `${userHome}/Library/LaunchAgents/${label}.plist`
      return {
        name: "launchd",
        file,
        unit: (facts) => launchdPlist(facts, label),
        taking: [["launchctl", "bootstrap", `gui/${uid}`, file]],
        leaving: [["launchctl", "bootout", `gui/${uid}/${label}`]],
        forgetting: []
      }
    }
    default:
      return null
  }
}

const usualPatience = Duration.minutes(2)

/** A command of the manager's. */
export const run = (
  [program = "", ...args]: ReadonlyArray<string>,
  patience: Duration.Duration = usualPatience
): Effect.Effect<void, ManagerFailed> =>
  Effect.callback((resume) => {
    execFile(program, args, { timeout: Duration.toMillis(patience) }, (error, _, err) =>
      resume(
        error === null
          ? Effect.void
          : new ManagerFailed({
              detail: `\`${[program, ...args].join(" ")}\` failed: ${err.trim() || error.message}`
            })
      )
    )
  })

/** Writes the unit and has the manager run it; where it runs already, what was written is taken. */
export const install = Effect.fnUntraced(function* (manager: Manager, facts: ServiceFacts) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const known = yield* Effect.orElseSucceed(files.exists(manager.file), () => false)
  yield* files.makeDirectory(path.dirname(manager.file), { recursive: true }).pipe(
    Effect.andThen(files.writeFileString(manager.file, manager.unit(facts), { mode: 0o644 })),
    Effect.mapError(({ reason }) => new ManagerFailed({ detail: `${manager.file} cannot be written: ${reason._tag}` }))
  )
  if (known && manager.name === "launchd") yield* Effect.forEach(manager.leaving, (step) => Effect.ignore(run(step)))
  yield* Effect.forEach(manager.taking, (step) => run(step), { discard: true })
})

/** Stops it, and takes the unit away; false where there was none. */
export const uninstall = Effect.fnUntraced(function* (manager: Manager) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(files.exists(manager.file), () => false))) return false
  yield* Effect.forEach(manager.leaving, (step) => run(step), { discard: true })
  yield* Effect.mapError(
    files.remove(manager.file),
    ({ reason }) => new ManagerFailed({ detail: `${manager.file} cannot be removed: ${reason._tag}` })
  )
  yield* Effect.forEach(manager.forgetting, (step) => run(step), { discard: true })
  return true
})
