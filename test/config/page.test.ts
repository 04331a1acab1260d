/** The documentation that is made from the schema. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { schemaDocument } from "../../src/config/editorSchema.ts"
import { settingsPage } from "../../src/config/page.ts"

describe("the settings' schema", () => {
  it("docs/settings.md is up to date; `npm run docs` writes it", () => {
    expect(readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8")).toBe(settingsPage())
  })

  it("every setting says what it is", () => {
    const silent = settingsPage()
      .split("\n")
      .filter((line) => line.startsWith("| `") && line.endsWith("|  |"))

    expect(silent).toEqual([])
  })

  it("the JSON Schema refuses unknown keys and knows defaults and descriptions", () => {
    const schema = JSON.stringify(schemaDocument())

    expect(schema).toContain('"additionalProperties":false')
    expect(schema).toContain('"default":8787')
    expect(schema.includes("draft/2020-12/schema")).toBe(true)
  })

  it("the JSON Schema takes a `${…}` for whatever is a choice, but not for a kind", () => {
    const { properties } = schemaDocument()
    const reference = { $ref: "#/$defs/reference" }

    expect(properties).toMatchObject({
      http: { properties: { port: { default: 8787, anyOf: [{}, reference] }, host: { type: "string" } } },
      log: { properties: { level: { anyOf: [{ enum: ["trace", "debug", "info", "warn", "error"] }, reference] } } },
      agent: { anyOf: [{ properties: { kind: { enum: ["echo"] } } }, {}] }
    })
  })
})
