/** Which platforms are one account: the same name at the same place, however it is written. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { FeishuSettings } from "../../src/config/Settings.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import * as LinkSettings from "../../src/domain/LinkSettings.ts"
import { pathOf } from "../../src/layers/AccountLocks.ts"

const access = { direct: "open", group: "mention", allow: [], deny: [] } as const

const feishu = (more: Partial<FeishuSettings> = {}): FeishuSettings => ({
  id: PlatformId.make("feishu"),
  kind: "feishu",
  enabled: true,
  appId: "cli_0123456789abcdef",
  appSecret: Redacted.make("the secret of the app"),
  domain: "feishu",
  access,
  link: LinkSettings.defaults,
  ...more
})

describe("an account", () => {
  it.each([
    ["another id of the platform", { id: PlatformId.make("other") }],
    ["another secret", { appSecret: Redacted.make("a new one") }],
    ["the domain's own URL", { domain: "https://open.feishu.cn/" }]
  ])("F201: is the same one under %s", (_, more) => {
    assert.strictEqual(pathOf(feishu(more)), pathOf(feishu()))
  })

  it.each([
    ["another app", { appId: "cli_fedcba9876543210" }],
    ["another brand", { domain: "lark" }],
    ["a private deployment", { domain: "http://127.0.0.1:4000" }]
  ])("F201: is another one for %s", (_, more) => {
    assert.notStrictEqual(pathOf(feishu(more)), pathOf(feishu()))
  })

  it("is not to be read in the name of its lock, and the local chat has none", () => {
    assert.match(pathOf(feishu()) ?? "", /\/\.evergate\/locks\/feishu-[0-9a-f]{24}\.lock$/)
    assert.isNull(pathOf({ id: PlatformId.make("local"), kind: "local", enabled: true, access }))
  })
})
