/** The platforms of the file: whom each hears, by which road, and that no two are the same account. */
import { Predicate, Schema } from "effect"
import { baseOf } from "../platforms/feishu/Feishu.ts"
import type { Path } from "./document.ts"
import { isLoopback } from "./loopback.ts"
import { nearest } from "./nearest.ts"
import type { Reading } from "./reading.ts"
import type { PlatformSettings } from "./Settings.ts"
import { Access, Account, FeishuSettings, laterPlatformKinds, platformKinds } from "./Settings.ts"

const kinds = { known: platformKinds, later: laterPlatformKinds, common: Account }

/** The platforms that have no fault. `stated`: the agent is one for which each platform has to say whom it hears. */
export const checkPlatforms = (reading: Reading, raw: unknown, stated: boolean): ReadonlyArray<PlatformSettings> => {
  const items = reading.list(raw, ["platforms"])
  const settings = items.map((item, index) =>
    reading.decodeKind<(typeof platformKinds)[keyof typeof platformKinds]>(kinds, item, ["platforms", index])
  )
  checkAccounts(reading, items)
  return settings.flatMap((platform, index) => {
    const path = ["platforms", index]
    checkDomain(reading, items[index], path)
    const direct = directOf(reading, items[index], path, stated)
    return platform === null || direct === null ? [] : [{ ...platform, access: { ...platform.access, direct } }]
  })
}

const isKind = (item: unknown, kind: string): boolean => Predicate.isObject(item) && item["kind"] === kind

const Direct = Schema.Struct({ direct: Access.fields.direct })

/** The web chat hears its own page, which the listener guards. */
const directOf = (reading: Reading, item: unknown, path: Path, stated: boolean) => {
  const access = Predicate.isObject(item) ? item["access"] : undefined
  const part = reading.part(Direct, access, [...path, "access"])
  if (part === null) return null
  const known = Object.keys(platformKinds).some((kind) => isKind(item, kind))
  if (part.direct !== undefined || !stated || !known || isKind(item, "local")) return part.direct ?? "open"
  reading.tell([...path, "access", "direct"], {
    expected: "open or allowlist, stated",
    hint: "an agent other than echo answers nobody unasked: say who is heard; pairing, its default, is not built yet"
  })
  return null
}

const Domain = Schema.Struct({ domain: FeishuSettings.fields.domain })

const checkDomain = (reading: Reading, item: unknown, path: Path): void => {
  const domain = isKind(item, "feishu") ? reading.part(Domain, item, path)?.domain : undefined
  if (domain === undefined || !domain.startsWith("http:") || isLoopback(new URL(domain).hostname)) return
  reading.tell([...path, "domain"], {
    expected: "an https URL",
    hint: "the app's secret would cross the network in the clear"
  })
}

/** Two connections of one account would take each other's messages, and the page has one chat. */
const checkAccounts = (reading: Reading, items: ReadonlyArray<unknown>): void => {
  const accounts = items.map(accountOf)
  accounts.forEach((account, index) => {
    const first = accounts.indexOf(account)
    if (account === null || first === index) return
    const key = account === "local" ? "kind" : "appId"
    const hint = `platforms[${first}] has it already; leave one of them out, or disable it`
    reading.tell(["platforms", index, key], { expected: "an account of its own", hint })
  })
}

/** An app's id names it within its domain: a private deployment has its own. */
const accountOf = (item: unknown): string | null => {
  if (!Predicate.isObject(item) || String(item["enabled"]) === "false") return null
  const { kind, appId, domain = "feishu" } = item
  if (kind === "local") return "local"
  return kind === "feishu" && typeof appId === "string" ? `feishu ${baseOf(String(domain))[0]} ${appId}` : null
}

const Name = Schema.Struct({ id: Account.fields.id })

/** The ids of the platforms of a tree, also of those that have a fault elsewhere; null where one of them is not known. */
export const idsOf = (reading: Reading, raw: unknown): ReadonlyArray<string> | null => {
  if (!Array.isArray(raw)) return null
  const ids = raw.flatMap((item, index) => reading.part(Name, item, ["platforms", index])?.id ?? [])
  return ids.length === raw.length ? ids : null
}

/** Whether there is a platform of this id; tells it where there is none. */
export const checkPlatform = (
  reading: Reading,
  path: Path,
  id: string,
  platforms: ReadonlyArray<string> | null
): boolean => {
  if (platforms === null || platforms.includes(id)) return platforms !== null
  const near = nearest(id, platforms)
  const hint = near === null ? `the platforms are ${platforms.join(", ") || "none"}` : `did you mean "${near}"?`
  reading.tell(path, { expected: "a platform of this configuration", hint })
  return false
}
