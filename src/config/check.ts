/**
 * From a tree to settings: what the schema takes, then what only makes sense together. Goes on after a fault, so that all
 * are told at once; what has a fault of its own is left out of what is compared.
 */
import { Predicate, Result, Schema } from "effect"
import { checkAlarms } from "./checkAlarms.ts"
import { checkJobs } from "./checkJobs.ts"
import { checkPlatform, checkPlatforms, idsOf } from "./checkPlatforms.ts"
import type { Document, Path } from "./document.ts"
import { at } from "./document.ts"
import { keysAt } from "./keys.ts"
import { isLoopback } from "./loopback.ts"
import type { Reading } from "./reading.ts"
import { reading } from "./reading.ts"
import type { Fault } from "./report.ts"
import type { Settings } from "./Settings.ts"
import { agentKinds, AnyAgent, File, Http, laterAgentKinds, Sections } from "./Settings.ts"
import { Admin } from "./values.ts"

/** What a configuration is checked against. */
export interface Given {
  /** For the names, lines and texts of faults. */
  readonly document: Document
  /** Where a `${…}` stands for nothing: told elsewhere. */
  readonly holes: ReadonlyArray<Path>
  /** The zone of the process, for jobs that name none. */
  readonly timezone: string
  /** From when jobs count that were never seen before. Unix milliseconds. */
  readonly now: number
  /** Where home is, from what the file says of it. */
  readonly homeOf: (written: string | undefined) => string
}

/** The platforms of a file that names none. */
export const localChat = [{ id: "local", kind: "local" }]

const agents = { known: agentKinds, later: laterAgentKinds, common: AnyAgent }

/** The settings of a tree in which every `${…}` is filled in, or all that is wrong with it. */
export const check = (tree: unknown, given: Given): Result.Result<Settings, ReadonlyArray<Fault>> => {
  const read = reading(given.document, given.holes)
  if (!Predicate.isObject(tree)) {
    read.tell([], { expected: "a mapping of settings", hint: "see docs/settings.md" })
    return Result.fail(read.faults)
  }
  const {
    platforms: rawPlatforms = localChat,
    agent: rawAgent = { kind: "echo" },
    alarms: rawAlarms,
    cron = [],
    ...rest
  } = tree
  const sections = read.decode(Sections, rest, [], keysAt(File))
  checkListener(read, tree["http"])
  const agent = read.decodeKind<(typeof agentKinds)[keyof typeof agentKinds]>(agents, rawAgent, ["agent"])
  const platforms = checkPlatforms(read, rawPlatforms, isElsewhere(rawAgent))
  const ids = idsOf(read, rawPlatforms)
  checkAdmins(read, tree["admins"], ids)
  const alarms = checkAlarms(read, rawAlarms, ids)
  const jobs = checkJobs(read, cron, { ...given, platforms: ids })
  if (sections === null || agent === null || read.faults.length > 0) return Result.fail(read.faults)
  return Result.succeed({ ...sections, home: given.homeOf(sections.home), platforms, agent, alarms, jobs })
}

/** Whether each platform has to say whom it hears. Of a kind that there is not, nothing follows. */
const isElsewhere = (agent: unknown): boolean => {
  const kind = at(agent, ["kind"])
  return typeof kind === "string" && kind !== "echo" && [...Object.keys(agentKinds), ...laterAgentKinds].includes(kind)
}

const Listener = Schema.Struct({ host: Http.fields.host, token: Http.fields.token })

const checkListener = (read: Reading, raw: unknown): void => {
  const listener = read.part(Listener, raw, ["http"])
  if (listener === null || isLoopback(listener.host) || listener.token !== null) return
  read.tell(["http", "token"], {
    expected: "a token, since http.host is not loopback",
    hint: "set http.token, for example to ${EVERGATE_HTTP_TOKEN}, or listen on 127.0.0.1"
  })
}

const isAdmin = Schema.is(Admin)

/** One by one, so that a name that is none hides no other. */
const checkAdmins = (read: Reading, raw: unknown, platforms: ReadonlyArray<string> | null): void => {
  const admins: ReadonlyArray<unknown> = Array.isArray(raw) ? raw : []
  admins.forEach((admin, index) => {
    if (isAdmin(admin)) checkPlatform(read, ["admins", index], admin.slice(0, admin.indexOf(":")), platforms)
  })
}
