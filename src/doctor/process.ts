/** Whether the gateway runs and answers, and whether another one stands in its way. */
import { Duration, Effect } from "effect"
import type { PlatformSettings } from "../config/Settings.ts"
import type { Finding } from "../domain/Finding.ts"
import { about } from "../domain/Finding.ts"
import type { Status } from "../http/Status.ts"
import type { LockView, ServiceView } from "./Machine.ts"
import { Machine } from "./Machine.ts"

const look = about(null)

/** What the gateway answered, or why it did not. */
export type Answer = { readonly status: Status } | { readonly silence: string }

/** By the home's lock and by what answers at the home's address. */
export const examineProcess = (home: string, lock: LockView, answer: Answer): ReadonlyArray<Finding> => {
  switch (lock._tag) {
    case "Free":
      return [notRunning(home)]
    case "Stale":
      return [
        look.warn(
          "lock",
          `${lock.path} is left of process ${lock.pid}, which is gone`,
          "evergate start (takes it over)"
        ),
        notRunning(home)
      ]
    case "Unreadable":
      return [look.fail("lock", `${lock.path}: ${lock.detail}`, `give ${home} to the user that runs evergate`)]
    case "Held":
      return [
        look.ok("lock", `held by process ${lock.pid} on ${lock.host}`),
        "status" in answer ? answering(answer.status) : silent(lock, answer.silence)
      ]
  }
}

const notRunning = (home: string): Finding =>
  look.fail("gateway", `it is stopped (${home})`, "evergate start; where it should run: evergate logs")

const silent = ({ here, host, path, pid }: Extract<LockView, { readonly _tag: "Held" }>, why: string): Finding =>
  here
    ? look.fail("gateway", `process ${pid} runs and does not answer: ${why}`, "evergate logs; then evergate restart")
    : look.fail(
        "gateway",
        `it runs on ${host}, if it does: ${why}`,
        `ask there; if it is gone for good, remove ${path}`
      )

const answering = ({ health, pid, reasons, version }: Status): Finding =>
  health === "ok"
    ? look.ok("gateway", `evergate ${version}, process ${pid}, all is well`)
    : look.fail("gateway", `it runs and is ${health}: ${reasons.join("; ")}`, "see the lines below; evergate status")

/** A stop is the drain and a little more; a manager that kills sooner cuts it. */
const beyondDrainMillis = 5_000

/** What service managers would do with the gateway of this home, against what its settings want. */
export const examineServices = (home: string, drain: Duration.Duration) =>
  Effect.flatMap(Machine, ({ services }) =>
    Effect.map(services(home), (views) => views.map((view) => serviceOf(view, Duration.toMillis(drain))))
  )

const serviceOf = ({ file, missing, stopMillis }: ServiceView, drainMillis: number): Finding => {
  const again = "evergate service install (writes the unit anew)"
  if (missing !== null) return look.fail("service", `${file} runs ${missing}, which is not there`, again)
  if (stopMillis === null) return look.warn("service", `${file} does not say how long a stop may take`, again)
  const seen = `${file} waits ${stopMillis / 1_000}s for a stop, whose drain takes up to ${drainMillis / 1_000}s`
  return stopMillis < drainMillis + beyondDrainMillis ? look.fail("service", seen, again) : look.ok("service", seen)
}

/** Each account of the settings belongs to this home's gateway, or to nobody. */
export const examineAccounts = (home: string, platforms: ReadonlyArray<PlatformSettings>) =>
  Effect.flatMap(Machine, ({ accountLock }) =>
    Effect.map(
      Effect.forEach(platforms, (platform) =>
        Effect.map(accountLock(platform), (lock) => (lock === null ? [] : [accountOf(home, platform.id, lock)]))
      ),
      (found) => found.flat()
    )
  )

const accountOf = (home: string, id: string, lock: LockView): Finding => {
  const { fail, ok, warn } = about(id)
  switch (lock._tag) {
    case "Free":
      return ok("account", "no other gateway of this machine uses it")
    case "Stale":
      return warn(
        "account",
        `${lock.path} is left of process ${lock.pid}, which is gone`,
        "evergate start (takes it over)"
      )
    case "Unreadable":
      return fail("account", `${lock.path}: ${lock.detail}`, `remove ${lock.path}`)
    case "Held":
      return lock.home === home
        ? ok("account", `used by process ${lock.pid} of this home`)
        : fail(
            "account",
            `another gateway uses it: process ${lock.pid} on ${lock.host}, home ${lock.home ?? "unknown"}; each hears half of what is said`,
            lock.home === null
              ? `kill ${lock.pid}`
              : `EVERGATE_HOME=${lock.home} evergate stop, or here evergate run --replace`
          )
  }
}
