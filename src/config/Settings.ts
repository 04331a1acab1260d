/**
 * Everything that can be set, in one schema: `load` decodes by it, the JSON Schema and docs/settings.md come from it. What
 * the contract names and this version does not have yet is spelled as the one value that it takes, with a word why.
 */
import { Duration, Schema } from "effect"
import type { Access as DomainAccess } from "../domain/access.ts"
import { PlatformId } from "../domain/Address.ts"
import * as duration from "../domain/duration.ts"
import type { Job } from "../domain/Job.ts"
import { JobId } from "../domain/Job.ts"
import { defaults as link, Jitter } from "../domain/LinkSettings.ts"
import { SessionScope } from "../domain/Session.ts"
import {
  Admin,
  AppId,
  DurationText,
  Factor,
  FeishuDomain,
  HttpUrl,
  Id,
  only,
  onlyDuration,
  optional,
  OptionalSecret,
  Port,
  PositiveDuration,
  ProxyText,
  required,
  Secret,
  SecretUrl,
  setting,
  Switch,
  TimeZone
} from "./values.ts"

const text = duration.format

const Heartbeat = Schema.Struct({
  interval: setting(
    PositiveDuration,
    "How often a quiet link is asked for a sign of life.",
    text(link.heartbeat.interval)
  ),
  timeout: setting(PositiveDuration, "How long its answer may take.", text(link.heartbeat.timeout))
})

const Retry = Schema.Struct({
  first: setting(DurationText, "Wait before the first attempt after a loss.", text(link.retry.first)),
  base: setting(PositiveDuration, "Wait before the second, which the later ones grow from.", text(link.retry.base)),
  factor: setting(Factor, "By how much each further wait grows.", link.retry.factor),
  max: setting(PositiveDuration, "The longest wait.", text(link.retry.max)),
  jitter: setting(Jitter, "`full` draws each wait evenly from nothing up to the backoff.", link.retry.jitter),
  resetAfter: setting(
    PositiveDuration,
    "A link that was up this long starts the backoff afresh.",
    text(link.retry.resetAfter)
  )
})

const Link = Schema.Struct({
  heartbeat: setting(Heartbeat, "Signs of life.", {}),
  connectTimeout: setting(PositiveDuration, "Bounds each step of an attempt.", text(link.connectTimeout)),
  retry: setting(Retry, "The waits between attempts.", {})
})

const direct =
  "Who is heard in direct chats: `open` (anyone) or `allowlist`. The echo agent defaults to `open`; any other has to say."

export const Access = Schema.Struct({
  direct: optional(
    Schema.Literals(["open", "allowlist"]).annotate({ expected: "open or allowlist; pairing is not built yet" }),
    direct
  ),
  group: setting(
    Schema.Literals(["mention", "all", "off"]),
    "When groups are heard: `mention` (the bot is named or replied to), `all`, `off`.",
    "mention"
  ),
  allow: setting(Schema.Array(Id), "Senders and chats that are heard under `allowlist`.", []),
  deny: setting(Schema.Array(Id), "Senders and chats that are never heard.", [])
})

/** What every platform has. */
export const Account = Schema.Struct({
  id: required(PlatformId, "The name in addresses and logs; unique."),
  enabled: setting(Switch, "`false` keeps it stopped.", true),
  access: setting(Access, "Who is heard.", {})
})

export const FeishuSettings = Schema.Struct({
  kind: required(Schema.Literal("feishu"), "Feishu or Lark, by its long connection."),
  ...Account.fields,
  appId: required(AppId, "The app's id, `cli_…`."),
  appSecret: required(Secret, "The app's secret."),
  domain: setting(FeishuDomain, "`feishu`, `lark`, or the base URL of a private deployment.", "feishu"),
  link: setting(Link, "How the link is kept alive and brought back.", {}),
  proxy: optional(ProxyText, "Its own egress: `env`, `none` or a proxy's URL; else the gateway's.")
})

export const LocalSettings = Schema.Struct({
  kind: required(Schema.Literal("local"), "The web chat of the gateway's own page."),
  ...Account.fields
})

/** The kinds of this version, each with its settings. */
export const platformKinds = { feishu: FeishuSettings, local: LocalSettings }
/** Kinds that the contract names and this version does not have. */
export const laterPlatformKinds = ["dingtalk", "slack", "discord", "telegram", "wecom"]

/** Its `access` says all: `direct` is what the agent's kind makes it where the file leaves it out. */
type Stated<S extends { readonly access: unknown }> = Omit<S, "access"> & { readonly access: DomainAccess }
export type FeishuSettings = Stated<typeof FeishuSettings.Type>
export type LocalSettings = Stated<typeof LocalSettings.Type>
export type PlatformSettings = FeishuSettings | LocalSettings

/** What every agent has. */
export const AnyAgent = Schema.Struct({ timeout: setting(PositiveDuration, "How long a turn may take.", "10m") })

export const EchoAgent = Schema.Struct({
  kind: required(Schema.Literal("echo"), "Answers with the text it was given."),
  ...AnyAgent.fields
})
export const HttpAgent = Schema.Struct({
  kind: required(Schema.Literal("http"), "POSTs each turn and takes the reply from the response."),
  url: required(HttpUrl, "Where to."),
  secret: optional(OptionalSecret, "Signs each request; empty: unsigned."),
  ...AnyAgent.fields
})
export const agentKinds = { echo: EchoAgent, http: HttpAgent }
export const laterAgentKinds = ["command", "openai"]

export type HttpAgentSettings = typeof HttpAgent.Type
export type AgentSettings = typeof EchoAgent.Type | HttpAgentSettings

const MisfireSettings = Schema.Struct({
  policy: required(
    Schema.Literals(["skip", "once", "all"]),
    "What was missed while the gateway was down or asleep: `skip` it, run the newest `once`, or run `all`, oldest first."
  ),
  within: optional(PositiveDuration, "Skips what is later than this; left out: however late.")
})

export const CronSettings = Schema.Struct({
  id: required(JobId, "The job's name; unique."),
  schedule: required(
    Schema.NonEmptyString,
    "5 or 6 cron fields, a macro, `every 30m`, or an ISO instant for a one-shot."
  ),
  timezone: optional(TimeZone, "An IANA zone; else the one of the process."),
  deliverTo: required(Schema.NonEmptyString, "An address, `<platform id>:<chat id>[:<thread id>]`."),
  prompt: optional(Schema.NonEmptyString, "Runs a turn of the agent, whose answer is sent."),
  text: optional(Schema.NonEmptyString, "Is sent as it is."),
  misfire: setting(MisfireSettings, "Occurrences that were missed.", { policy: "once", within: "1h" }),
  overlap: setting(
    only("skip", "queue or allow"),
    "An occurrence that comes while the last run has not ended.",
    "skip"
  ),
  quiet: optional(only("off", "quiet hours"), "Hours in which what it says is held."),
  onFailure: optional(only("off", "telling a failed run"), "Where a failed run is told.")
})
export type CronSettings = typeof CronSettings.Type

export const Http = Schema.Struct({
  host: setting(Schema.NonEmptyString, "Where it listens; a host that is not loopback needs a token.", "127.0.0.1"),
  port: setting(Port, "0 picks one.", 8787),
  token: setting(
    OptionalSecret,
    "Whoever asks has to send it, where the host is not loopback; on loopback it has no effect.",
    ""
  )
})

export const LogLevel = Schema.Literals(["trace", "debug", "info", "warn", "error"])
export type LogLevel = typeof LogLevel.Type
const Log = Schema.Struct({
  level: setting(LogLevel, "The least level that is written.", "info"),
  format: setting(Schema.Literals(["auto", "text", "json"]), "`auto`: key=value on a terminal, JSON otherwise.", "auto")
})

const sqlite = Schema.isPattern(/^sqlite:.+$/, { message: "Expected sqlite:FILE; postgres:// is not built yet" })
const Store = Schema.Struct({
  url: setting(Schema.String.check(sqlite), "`sqlite:` and a file, relative to home.", "sqlite:evergate.db")
})

const recognised = Schema.makeFilter(
  (keep: Duration.Duration) =>
    Duration.toHours(keep) >= 48 || "Expected 48h or more: repeated events are recognised by what is kept"
)
const Keep = Schema.Struct({
  messages: setting(DurationText.check(recognised), "Messages whose turn has ended.", "7d"),
  history: setting(PositiveDuration, "Deliveries that have ended.", "30d"),
  runs: setting(PositiveDuration, "Runs of cron jobs.", "30d")
})

const Outbox = Schema.Struct({
  expire: setting(PositiveDuration, "After this an undelivered message is a dead letter.", "24h")
})
const Shutdown = Schema.Struct({
  drain: setting(DurationText, "Time that running turns and the outbox get at a stop.", "20s")
})
const Escalate = Schema.Struct({
  after: setting(PositiveDuration, "No platform that counts was connected for this long.", "15m"),
  action: setting(only("exit", "another action"), "`exit` drains and ends with 75.", "exit")
})
/** A shorter one would take a collection of garbage for a stall. */
const Stall = PositiveDuration.check(
  Schema.makeFilter((stall) => Duration.toMillis(stall) >= 1_000 || "Expected at least 1s")
)
const Watchdog = Schema.Struct({
  stall: setting(Stall, "How long the event loop or a long-lived part may stand.", "60s"),
  action: setting(only("exit", "another action"), "`exit` ends with 70.", "exit")
})
/** Whoever is pinged is not to be flooded. */
const Often = PositiveDuration.check(
  Schema.makeFilter((every) => Duration.toMillis(every) >= 1_000 || "Expected at least 1s")
)
const Sessions = Schema.Struct({
  scope: setting(SessionScope, "Who shares a conversation: the `chat`, a `user` within it, or a `thread`.", "chat"),
  idle: setting(onlyDuration("24h"), "After this a session starts afresh.", "24h"),
  busy: setting(only("queue", "interrupt or reject"), "A message that comes while a turn runs.", "queue")
})

const silent = Schema.makeFilter((value: boolean) => !value || "Expected false: announcing a restart is not built yet")

export const ChatAlarm = Schema.Struct({
  to: required(
    Schema.NonEmptyString,
    "A chat that is told, by its address. Where its own platform is down, others are."
  )
})
export const WebhookAlarm = Schema.Struct({
  webhook: required(SecretUrl, "A URL that is told by a POST of JSON.")
})
export const HeartbeatAlarm = Schema.Struct({
  heartbeat: required(SecretUrl, "A URL that is asked by GET as long as all is well: a dead man's switch."),
  every: setting(Often, "How often.", "1m")
})
export const alarmKinds = { to: ChatAlarm, webhook: WebhookAlarm, heartbeat: HeartbeatAlarm }
export type AlarmSettings = typeof ChatAlarm.Type | typeof WebhookAlarm.Type | typeof HeartbeatAlarm.Type

const Alarms = Schema.Union([
  Schema.Literal("off"),
  Schema.Array(Schema.Union([ChatAlarm, WebhookAlarm, HeartbeatAlarm]))
])

/** All but `platforms`, `agent`, `alarms` and `cron`, whose entries are decoded one by one. */
export const Sections = Schema.Struct({
  home: optional(Schema.NonEmptyString, "Database, locks, logs and pid; else $EVERGATE_HOME, else `~/.evergate`."),
  http: setting(Http, "The page and the API.", {}),
  log: setting(Log, "The log.", {}),
  store: setting(Store, "Where what was accepted is kept.", {}),
  keep: setting(Keep, "Rows that are older are pruned.", {}),
  outbox: setting(Outbox, "What is still to be said.", {}),
  shutdown: setting(Shutdown, "Stopping.", {}),
  escalate: setting(Escalate, "When nothing comes back.", {}),
  alarmAfter: setting(PositiveDuration, "A platform that is down this long is an ERROR line, once.", "2m"),
  watchdog: setting(Watchdog, "When the event loop stands.", {}),
  proxy: setting(ProxyText, "Egress of REST and WebSockets: `env`, `none` or a proxy's URL.", "env"),
  sessions: setting(Sessions, "Conversations.", {}),
  admins: setting(Schema.Array(Admin), "Who may change things: `<platform id>:<user id>`.", []),
  catchUp: setting(only("off", "reading what was missed"), "What was missed while a link was down.", "off"),
  limits: setting(only("off", "limiting what comes in"), "How much is heard.", "off"),
  announce: setting(Schema.Boolean.check(silent), "Whether chats are told of a restart.", false)
})

/** A whole file, for the JSON Schema and docs/settings.md. */
export const File = Schema.Struct({
  ...Sections.fields,
  platforms: setting(Schema.Array(Schema.Union([FeishuSettings, LocalSettings])), "The accounts, a list.", [
    { id: "local", kind: "local" }
  ]),
  agent: setting(Schema.Union([EchoAgent, HttpAgent]), "Who answers.", { kind: "echo" }),
  alarms: setting(Alarms, "Who is told when something is wrong, and when it is well again: `off`, or a list.", []),
  cron: setting(Schema.Array(CronSettings), "Jobs, a list.", [])
})

/** What a gateway is built from. */
export interface Settings extends Omit<typeof Sections.Type, "home"> {
  /** An absolute path. */
  readonly home: string
  readonly platforms: ReadonlyArray<PlatformSettings>
  readonly agent: AgentSettings
  readonly alarms: ReadonlyArray<AlarmSettings>
  readonly jobs: ReadonlyArray<Job>
}
