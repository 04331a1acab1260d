/** Configuration by environment variables alone, so that an existing `.env` keeps working; and the reading of such a file. */
import type { Document, Path } from "./document.ts"
import { made, print } from "./document.ts"
import type { Environment } from "./references.ts"

/** What each kind of platform is named by; the first of its variables stands for the kind. */
const platformVariables: Readonly<Record<string, ReadonlyArray<readonly [variable: string, key: string]>>> = {
  feishu: [
    ["FEISHU_APP_ID", "appId"],
    ["FEISHU_APP_SECRET", "appSecret"]
  ],
  dingtalk: [
    ["DINGTALK_CLIENT_ID", "clientId"],
    ["DINGTALK_CLIENT_SECRET", "clientSecret"]
  ],
  slack: [
    ["SLACK_APP_TOKEN", "appToken"],
    ["SLACK_BOT_TOKEN", "botToken"]
  ],
  discord: [["DISCORD_BOT_TOKEN", "token"]],
  telegram: [["TELEGRAM_BOT_TOKEN", "token"]]
}

const isSet = (env: Environment, variable: string): boolean => (env[variable] ?? "") !== ""

/** The document that the variables make; null when none of them asks for anything. */
export const fromEnvironment = (env: Environment): Document | null => {
  const names = new Map<string, string>()
  const platforms: Array<Record<string, string | undefined>> = []
  for (const [kind, variables] of Object.entries(platformVariables)) {
    const asking = variables.find(([variable]) => isSet(env, variable))
    if (asking === undefined) continue
    const path = ["platforms", platforms.length]
    names.set(print([...path, "kind"]), asking[0])
    for (const [variable, key] of variables) names.set(print([...path, key]), variable)
    const domain = kind === "feishu" && isSet(env, "FEISHU_DOMAIN") ? [["domain", env["FEISHU_DOMAIN"]]] : []
    names.set(print([...path, "domain"]), "FEISHU_DOMAIN")
    const values = variables.flatMap(([variable, key]) => (env[variable] === undefined ? [] : [[key, env[variable]]]))
    platforms.push(Object.fromEntries([["id", kind], ["kind", kind], ...values, ...domain]))
  }
  const agent = agentOf(env, names)
  if (platforms.length === 0 && agent === null) return null
  const token = isSet(env, "EVERGATE_HTTP_TOKEN") ? { http: { token: env["EVERGATE_HTTP_TOKEN"] } } : {}
  names.set("http.token", "EVERGATE_HTTP_TOKEN")
  return made(
    { ...token, platforms, ...(agent === null ? {} : { agent }) },
    (path: Path) => names.get(print(path)) ?? print(path)
  )
}

/** OPENAI_API_KEY alone lies about on many machines and asks for nothing. */
const agentOf = (env: Environment, names: Map<string, string>): Readonly<Record<string, string>> | null => {
  if (isSet(env, "EVERGATE_AGENT_URL")) {
    names.set("agent.url", "EVERGATE_AGENT_URL").set("agent.secret", "EVERGATE_AGENT_SECRET")
    return { kind: "http", url: env["EVERGATE_AGENT_URL"] ?? "", secret: env["EVERGATE_AGENT_SECRET"] ?? "" }
  }
  const asking = ["OPENAI_BASE_URL", "OPENAI_MODEL"].find((variable) => isSet(env, variable))
  if (asking === undefined) return null
  names.set("agent.kind", asking)
  return { kind: "openai" }
}

/** `NAME=value` a line, with `export`, quotes and comments as shells and container tools write them. */
export const parseEnvFile = (text: string): Environment =>
  Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, unquote(value)] as const]
    })
  )

const unquote = (value: string): string => {
  const [, single] = /^'([^']*)'/.exec(value) ?? []
  if (single !== undefined) return single
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? []
  if (double === undefined) return value.replace(/(^|\s+)#.*$/, "")
  return double.replaceAll(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter))
}
