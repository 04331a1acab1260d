/** A platform of the settings as a part that can be started, stopped and replaced by itself. */
import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import type { Environment } from "../config/references.ts"
import type { FeishuSettings, PlatformSettings } from "../config/Settings.ts"
import type { Access } from "../domain/access.ts"
import * as Feishu from "../platforms/feishu/Feishu.ts"
import { Local } from "../platforms/local/Local.ts"
import type { Platform } from "../platforms/Platform.ts"
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

/**
 * What a platform is replaced for. Not for whom it hears, which the very link that is up takes. The page's chat keeps the name
 * that it had at the start.
 */
const lookOf = ({ access: _access, ...settings }: PlatformSettings): unknown =>
  settings.kind === "local" ? { id: settings.id, kind: settings.kind } : settings

export const enabledOf = (platforms: ReadonlyArray<PlatformSettings>): ReadonlyArray<PlatformSettings> =>
  platforms.filter(({ enabled }) => enabled)

export interface Wished {
  /** By their ids. */
  readonly parts: Wanted
  /** Of the platforms that are heard otherwise from now on. */
  readonly access: ReadonlyArray<string>
}

/** Gives the parts that settings wish for. Whom each hears counts at once. */
export const make: Effect.Effect<
  (platforms: ReadonlyArray<PlatformSettings>, environment: Environment) => Wished,
  never,
  AdapterNeeds
> = Effect.gen(function* () {
  // Without the scope: each has one of its own.
  const ground = Context.pick(PlatformHost, Local, Transport, HttpClient)(yield* Effect.context<AdapterNeeds>())
  const { chat } = Context.get(ground, Local)
  const heard = new Map<string, Access>()
  const context = Context.add(ground, PlatformHost, hearing(Context.get(ground, PlatformHost), heard))

  const partOf = (settings: PlatformSettings, environment: Environment): Part => ({
    fingerprint: fingerprintOf(lookOf(settings)),
    start: Layer.build(layerOf(settings, environment)).pipe(Effect.asVoid, Effect.provideContext(context))
  })

  return (platforms, environment) => {
    const enabled = enabledOf(platforms).filter(({ id, kind }) => kind !== "local" || id === chat.platform)
    const parts = new Map(enabled.map((settings) => [settings.id, partOf(settings, environment)]))
    // The page hears its own user, whom the listener guards.
    const guarded = enabled.filter(({ kind }) => kind !== "local")
    const changed = guarded.filter(
      ({ id, access }) => heard.has(id) && fingerprintOf(heard.get(id)) !== fingerprintOf(access)
    )
    for (const { access, id } of guarded) heard.set(id, access)
    return { parts, access: changed.map(({ id }) => id) }
  }
})

/** A host whose platforms are asked each time whom they hear. */
const hearing = (host: PlatformHost["Service"], heard: ReadonlyMap<string, Access>): PlatformHost["Service"] =>
  PlatformHost.of({
    attach: (platform) => {
      // The platform itself but for this: one that is an instance of a class keeps its methods.
      const asked: Platform = Object.create(platform, {
        access: { get: () => heard.get(platform.id) ?? platform.access }
      })
      return host.attach(asked)
    }
  })
