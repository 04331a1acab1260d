/** An account over a far end in memory, for the tests of the adapter. */
import { Duration, Effect, Redacted } from "effect"
import { PlatformId } from "../../src/domain/Address.ts"
import { DeliveryId } from "../../src/domain/Outbound.ts"
import type { Outbound } from "../../src/domain/Outbound.ts"
import type { LinkSettings } from "../../src/domain/LinkSettings.ts"
import { defaults } from "../../src/domain/LinkSettings.ts"
import type { Options } from "../../src/platforms/feishu/Feishu.ts"
import * as Feishu from "../../src/platforms/feishu/Feishu.ts"
import * as MemoryFeishu from "../../src/testing/feishu/MemoryFeishu.ts"
import type { Options as FakeOptions } from "../../src/testing/feishu/options.ts"
import { defaults as fake } from "../../src/testing/feishu/options.ts"

export const platform = PlatformId.make("feishu")

export const accountOf = (domain: string, link: Partial<LinkSettings> = {}): Options => ({
  id: platform,
  appId: fake.appId,
  appSecret: Redacted.make(fake.appSecret),
  domain,
  access: { direct: "open", group: "mention", allow: [], deny: [] },
  link: { ...defaults, ...link }
})

/** Feishu in memory, and the adapter on it. */
export const account = Effect.fnUntraced(function* (
  options: { readonly far?: Partial<FakeOptions>; readonly near?: Partial<Options> } = {}
) {
  const feishu = yield* MemoryFeishu.make(options.far)
  const adapter = yield* Feishu.make({ ...accountOf(feishu.url), ...options.near }).pipe(Effect.provide(feishu.layer))
  return { feishu, adapter }
})

export const outbound = (message: Partial<Outbound> & { readonly thread?: string } = {}): Outbound => ({
  id: message.id ?? DeliveryId.make("d-1"),
  address: { platform, chat: "oc_1", thread: message.thread ?? null },
  text: message.text ?? "hello",
  replyTo: message.replyTo ?? null
})

export const connectTimeout = Duration.toMillis(defaults.connectTimeout)
