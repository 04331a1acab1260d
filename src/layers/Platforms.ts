/** A platform of the settings as a part that can be started, stopped and replaced by itself. */
import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import type { Environment } from "../config/references.ts"
import type { FeishuSettings, PlatformSettings } from "../config/Settings.ts"
import * as Feishu from "../platforms/feishu/Feishu.ts"
import { Local } from "../platforms/local/Local.ts"
import { PlatformHost } from "../platforms/Platform.ts"
import { Transport } from "../platforms/Transport.ts"
import * as Egress from "./Egress.ts"
import type { Part, Wanted } from "./parts.ts"
import { fingerprintOf } from "./reloadPlan.ts"

/** What adapters stand on. */
export type AdapterNeeds = PlatformHost | Local | Transport | HttpClient

const feishuOf = (
  { id, appId, appSecret, domain, access, link, proxy }: FeishuSettings,
  environment: Environment
): Layer.Layer<never, never, PlatformHost | Transport | HttpClient> => {
  const adapter = Feishu.layer({ id, appId, appSecret, domain, access, link })
  // An account with a proxy of its own goes out by an egress of its own.
  return proxy === undefined ? adapter : Layer.provide(adapter, Egress.layer({ proxy, environment }))
}

const layerOf = (settings: PlatformSettings, environment: Environment): Layer.Layer<never, never, AdapterNeeds> => {
  switch (settings.kind) {
    case "local":
      return Local.attached
    case "feishu":
      return feishuOf(settings, environment)
  }
}

/** The page's chat takes its name at the start and keeps it; what it hears is the page's guard's affair. */
const lookOf = (settings: PlatformSettings): unknown =>
  settings.kind === "local" ? { id: settings.id, kind: settings.kind } : settings

/** The platforms that are to run, by their ids. */
export const wantedOf = Effect.fnUntraced(function* (
  platforms: ReadonlyArray<PlatformSettings>,
  environment: Environment
): Effect.fn.Return<Wanted, never, AdapterNeeds> {
  // Without the scope: each has one of its own.
  const ground = Context.pick(PlatformHost, Local, Transport, HttpClient)(yield* Effect.context<AdapterNeeds>())
  const { chat } = Context.get(ground, Local)
  const partOf = (settings: PlatformSettings): Part => ({
    fingerprint: fingerprintOf(lookOf(settings)),
    start: Layer.build(layerOf(settings, environment)).pipe(Effect.asVoid, Effect.provideContext(ground))
  })
  return new Map(
    enabledOf(platforms)
      .filter(({ id, kind }) => kind !== "local" || id === chat.platform)
      .map((settings) => [settings.id, partOf(settings)])
  )
})

export const enabledOf = (platforms: ReadonlyArray<PlatformSettings>): ReadonlyArray<PlatformSettings> =>
  platforms.filter(({ enabled }) => enabled)
