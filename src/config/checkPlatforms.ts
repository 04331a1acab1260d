/** The platforms of the file: whom each hears, and by which road. */
import { Predicate } from "effect"
import type { Path } from "./document.ts"
import { isLoopback } from "./loopback.ts"
import type { Reading } from "./reading.ts"
import type { PlatformSettings } from "./Settings.ts"
import { laterPlatformKinds, platformKinds } from "./Settings.ts"

/** The platforms that have no fault. `stated`: the agent is one for which each platform has to say whom it hears. */
export const checkPlatforms = (reading: Reading, raw: unknown, stated: boolean): ReadonlyArray<PlatformSettings> =>
  reading.list(raw, ["platforms"]).flatMap((item, index) => {
    const path = ["platforms", index]
    const settings = reading.decodeKind<(typeof platformKinds)[keyof typeof platformKinds]>(
      platformKinds,
      laterPlatformKinds,
      item,
      path
    )
    if (settings === null) return []
    if (settings.kind === "feishu") checkDomain(reading, [...path, "domain"], settings.domain)
    // The web chat hears its own page, which the listener guards.
    const direct = settings.access.direct ?? (stated && settings.kind !== "local" ? null : "open")
    if (direct !== null) return [{ ...settings, access: { ...settings.access, direct } }]
    reading.tell([...path, "access", "direct"], {
      expected: "open or allowlist, stated",
      hint: "an agent other than echo answers nobody unasked: say who is heard; pairing, its default, is not built yet"
    })
    return []
  })

const checkDomain = (reading: Reading, path: Path, domain: string): void => {
  if (!domain.startsWith("http:") || isLoopback(new URL(domain).hostname)) return
  reading.tell(path, { expected: "an https URL", hint: "the app's secret would cross the network in the clear" })
}

/** The ids of the platforms of a tree, also of those that have a fault: what is addressed to them is no fault of its own. */
export const idsOf = (raw: unknown): ReadonlyArray<string> =>
  Array.isArray(raw)
    ? raw.flatMap((item) => (Predicate.isObject(item) && typeof item["id"] === "string" ? [item["id"]] : []))
    : []
