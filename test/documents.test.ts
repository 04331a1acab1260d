/** The documents quote programs and configurations: what they quote is so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { load } from "../src/config/load.ts"
import { disk } from "./config/disk.ts"

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8")

const blocksOf = (file: string, language: string): ReadonlyArray<string> =>
  Array.from(
    read(file).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
    ([, block]) => block ?? ""
  )

describe("the documents", () => {
  it.each(blocksOf("docs/adapters.md", "ts"))("docs/adapters.md quotes the example as it is: %s", (block) => {
    assert.include(read("examples/adapter.ts"), block)
  })

  it.effect("the README's configuration is right", () =>
    Effect.gen(function* () {
      const [text = ""] = blocksOf("README.md", "yaml")
      const env = { FEISHU_APP_ID: "cli_a1", FEISHU_APP_SECRET: "s3cret-value", AGENT_SECRET: "an0ther-value" }

      const { settings } = yield* load({}, { env, cwd: "/here", userHome: "/home/me", timezone: "UTC" }).pipe(
        Effect.provide(disk({ "/here/evergate.yaml": text }))
      )

      assert.strictEqual(settings.jobs.length, 1)
    })
  )
})
