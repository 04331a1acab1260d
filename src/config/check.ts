/**
 * From a tree to settings: what the schema takes, then what only makes sense together. Goes on after a fault, so that all
 * are told at once; a part with a fault of its own is left out of what is compared.
 */
import { Predicate, Result } from "effect"
import { checkJobs } from "./checkJobs.ts"
import { checkPlatforms, idsOf } from "./checkPlatforms.ts"
import type { Document } from "./document.ts"
import { keysAt } from "./keys.ts"
import { isLoopback } from "./loopback.ts"
import type { Reading } from "./reading.ts"
import { reading } from "./reading.ts"
import type { Fault } from "./report.ts"
import type { Settings } from "./Settings.ts"
import { agentKinds, File, laterAgentKinds, Sections } from "./Settings.ts"

/** What a configuration is checked against. */
export interface Given {
  /** For the names, lines and texts of faults. */
  readonly document: Document
  /** The zone of the process, for jobs that name none. */
  readonly timezone: string
  /** From when jobs count that were never seen before. Unix milliseconds. */
  readonly now: number
  /** Where home is, from what the file says of it. */
  readonly homeOf: (written: string | undefined) => string
}

const localChat = [{ id: "local", kind: "local" }]

/** The settings of a tree in which every `${…}` is filled in, or all that is wrong with it. */
export const check = (tree: unknown, given: Given): Result.Result<Settings, ReadonlyArray<Fault>> => {
  const read = reading(given.document)
  if (!Predicate.isObject(tree)) {
    read.tell([], { expected: "a mapping of settings", hint: "see docs/settings.md" })
    return Result.fail(read.faults)
  }
  const { platforms: rawPlatforms = localChat, agent: rawAgent = { kind: "echo" }, cron = [], ...rest } = tree
  const sections = read.decode(Sections, rest, [], keysAt(File))
  if (sections !== null) checkListener(read, sections.http)
  const agent = read.decodeKind<(typeof agentKinds)[keyof typeof agentKinds]>(agentKinds, laterAgentKinds, rawAgent, [
    "agent"
  ])
  const isEcho = Predicate.isObject(rawAgent) && rawAgent["kind"] === "echo"
  const platforms = checkPlatforms(read, rawPlatforms, !isEcho)
  const jobs = checkJobs(read, cron, { ...given, platforms: idsOf(rawPlatforms) })
  if (sections === null || agent === null || read.faults.length > 0) return Result.fail(read.faults)
  return Result.succeed({ ...sections, home: given.homeOf(sections.home), platforms, agent, jobs })
}

const checkListener = (read: Reading, http: (typeof Sections.Type)["http"]): void => {
  if (isLoopback(http.host) || http.token !== null) return
  read.tell(["http", "token"], {
    expected: "a token, since http.host is not loopback",
    hint: "set http.token, for example to ${EVERGATE_HTTP_TOKEN}, or listen on 127.0.0.1"
  })
}
