/**
 * What a service manager is told of a gateway, as text: a unit of systemd, a property list of launchd. No secret is ever in it:
 * the configuration names a file of variables, or the unit does.
 */
import { Duration } from "effect"

export interface ServiceFacts {
  /** The Node that runs it, by its own path: a manager has no `PATH` of a person's. */
  readonly node: string
  readonly program: string
  readonly home: string
  /** The configuration file; null: the embedded defaults. */
  readonly config: string | null
  /** `--env-file`. */
  readonly envFile: string | null
  readonly drain: Duration.Duration
}

/** A drain that is over takes a little to let go of its sockets and locks. */
const beyondDrainSeconds = 15

/** How long a manager waits for a stop before it kills. */
export const stopSeconds = (drain: Duration.Duration): number =>
  Math.ceil(Duration.toSeconds(drain)) + beyondDrainSeconds

const commandOf = ({ config, envFile, node, program }: ServiceFacts): ReadonlyArray<string> => [
  node,
  program,
  "run",
  ...(config === null ? [] : ["--config", config]),
  ...(envFile === null ? [] : ["--env-file", envFile])
]

/** Where the event loop stands, the gateway ends itself after `watchdog.stall`; this is for the process that cannot. */
const watchdogSeconds = 180

/** `system` starts with the machine, else with the user's session. */
export const systemdUnit = (facts: ServiceFacts, scope: "user" | "system"): string =>
  `[Unit]
Description=evergate, a gateway between chat platforms and an agent
${scope === "system" ? "Wants=network-online.target\nAfter=network-online.target\n" : ""}StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
ExecStart=${commandOf(facts).map(systemdArgument).join(" ")}
ExecReload=/bin/kill -HUP $MAINPID
Environment=${systemdWord(`EVERGATE_HOME=${facts.home}`)} EVERGATE_MANAGER=systemd
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=64 73 78
TimeoutStartSec=90
TimeoutStopSec=${stopSeconds(facts.drain)}
WatchdogSec=${watchdogSeconds}
KillMode=mixed
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=${scope === "system" ? "multi-user.target" : "default.target"}
`

/** A word of a command line, where alone `$` names a variable. */
const systemdArgument = (word: string): string => systemdWord(word.replaceAll("$", "$$$$"))

/** A word that stands for itself: `%` names nothing, quotes keep blanks together, and no control character ends its line. */
const systemdWord = (word: string): string => {
  const plain = word.replaceAll("%", "%%")
  if (/^[\w@%+=:,./$-]+$/.test(plain)) return plain
  const quoted = plain.replaceAll(/["\\]/g, "\\$&").replaceAll(/[\p{Cc}&&\p{ASCII}]/gv, byNumber)
  return `"${quoted}"`
}

const byNumber = (control: string): string => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`

type Property = string | number | boolean | ReadonlyArray<Property> | { readonly [key: string]: Property }

/** launchd starts it again after every status but 0; the statuses that mean "stay down" end with 0 under it. */
export const launchdPlist = (facts: ServiceFacts, label: string): string =>
  plist({
    Label: label,
    ProgramArguments: commandOf(facts),
    EnvironmentVariables: { EVERGATE_HOME: facts.home, EVERGATE_MANAGER: "launchd" },
    WorkingDirectory: facts.home,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 10,
    ExitTimeOut: stopSeconds(facts.drain),
    ProcessType: "Background",
    Umask: 0o077,
    StandardOutPath: `${facts.home}/logs/launchd.log`,
    StandardErrorPath: `${facts.home}/logs/launchd.log`
  })

const plist = (root: Property): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${element(root, "")}
</plist>
`

const isList = (value: Property): value is ReadonlyArray<Property> => Array.isArray(value)

const element = (value: Property, indent: string): string => {
  const deeper = `${indent}  `
  if (typeof value === "string") return `${indent}<string>${escaped(value)}</string>`
  if (typeof value === "number") return `${indent}<integer>${value}</integer>`
  if (typeof value === "boolean") return `${indent}<${value}/>`
  if (isList(value)) {
    return [`${indent}<array>`, ...value.map((each) => element(each, deeper)), `${indent}</array>`].join("\n")
  }
  const pairs = Object.entries(value).flatMap(([key, each]) => [
    `${deeper}<key>${escaped(key)}</key>`,
    element(each, deeper)
  ])
  return [`${indent}<dict>`, ...pairs, `${indent}</dict>`].join("\n")
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
