/**
 * Whether something starts this process again when it ends, and how that something is told to stop it. A shell that itself
 * descends from a service has some of the same variables, so that they count only where they speak of this very process.
 */
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { userInfo } from "node:os"

/** A service manager, as a lock names it. */
export const Managed = Schema.Struct({
  /** What `EVERGATE_MANAGER` says, or `systemd`. */
  manager: Schema.NonEmptyString,
  /** What the manager calls the gateway; null where that is not known. */
  unit: Schema.NullOr(Schema.NonEmptyString),
  /** It is the manager of a user, not of the machine. */
  ofUser: Schema.Boolean,
  /** By our own unit: a gateway that ended with 0 stays down. */
  isOurs: Schema.Boolean
})
export type Managed = typeof Managed.Type

/** What tells whose a process is. */
export interface Facts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly parent: number
  /** `/proc/self/cgroup`; empty where there is none. */
  readonly groups: string
}

/** Labels that `service install` gives. */
const ourLabel = /^dev\.evergate\./

/** Whose a process is; null: nobody's. A unit is named only where it is surely this process's own: it will be stopped. */
export const managedBy = (facts: Facts): Managed | null => {
  const named = facts.env["EVERGATE_MANAGER"] ?? ""
  const isStarted = isStartedBySystemd(facts)
  const manager = named || (isStarted ? "systemd" : "")
  switch (manager) {
    case "":
      return null
    case "systemd":
      return { manager, unit: isStarted ? unitOf(facts) : null, ofUser: isOfUser(facts), isOurs: named !== "" }
    case "launchd": {
      const label = facts.env["XPC_SERVICE_NAME"] ?? ""
      return { manager, unit: ourLabel.test(label) ? label : null, ofUser: true, isOurs: true }
    }
    default:
      return { manager, unit: null, ofUser: false, isOurs: false }
  }
}

/** Its newer versions say which process they started; the older ones are its parent. */
const isStartedBySystemd = ({ env, parent, pid }: Facts): boolean => {
  const started = env["SYSTEMD_EXEC_PID"]
  return env["INVOCATION_ID"] !== undefined && (started === undefined ? parent === 1 : started === String(pid))
}

/** The innermost of `0::/user.slice/user-1000.slice/user@1000.service/app.slice/evergate.service`, but not the user's manager. */
const unitOf = ({ groups }: Facts): string | null => {
  const [unit = ""] = /[^/\n]+\.service$/.exec(groups.trim()) ?? []
  return unit === "" || unit.startsWith("user@") ? null : unit
}

const isOfUser = ({ groups }: Facts): boolean => groups.includes("/user@")

/** Whose this process is. */
export const here: Effect.Effect<Managed | null> = Effect.sync(() =>
  managedBy({ env: process.env, pid: process.pid, parent: process.ppid, groups: groupsOfSelf() })
)

const groupsOfSelf = (): string => {
  try {
    return readFileSync("/proc/self/cgroup", "utf8")
  } catch {
    // No such file on this system: the unit's name stays unknown.
    return ""
  }
}

/** The command by which the manager stops or restarts it; null where none is known. */
export const commandTo = (
  action: "stop" | "restart",
  { manager, ofUser, unit }: Managed,
  uid: number = userInfo().uid
): ReadonlyArray<string> | null => {
  if (unit === null) return null
  switch (manager) {
    case "systemd":
      return ["systemctl", ...(ofUser ? ["--user"] : []), action, unit]
    case "launchd":
      // It knows no restart that drains.
      return action === "stop" ? ["launchctl", "bootout", `gui/${uid}/${unit}`] : null
    default:
      return null
  }
}
