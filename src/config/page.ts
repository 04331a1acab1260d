/** What the schema says of itself: the JSON Schema for editors, and docs/settings.md for people. */
import { Predicate } from "effect"
import { alternatives, jsonSchema, propertiesOf } from "./keys.ts"
import { CronSettings, EchoAgent, FeishuSettings, HttpAgent, LocalSettings, Sections } from "./Settings.ts"
import { File } from "./Settings.ts"

/** What `evergate config schema` prints. */
export const schemaDocument = (): object => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "evergate.yaml",
  ...jsonSchema(File)
})

const intro = `# Settings

<!-- Made from src/config/Settings.ts by \`npm run docs\`; do not edit by hand. -->

Every setting of \`evergate.yaml\`. Durations are a number and a unit: \`500ms\`, \`15s\`, \`10m\`, \`24h\`, \`7d\`. Inside a value
\`\${NAME}\`, \`\${NAME:-default}\` and \`\${file:/path}\` are filled in; \`$\${\` stands for \`\${\` itself.`

/** The text of docs/settings.md. */
export const settingsPage = (): string =>
  [
    intro,
    section("The gateway", "", Sections),
    section("Platforms of kind `feishu`", "platforms[].", FeishuSettings),
    section("Platforms of kind `local`", "platforms[].", LocalSettings),
    section("The agent `echo`", "agent.", EchoAgent),
    section("The agent `http`", "agent.", HttpAgent),
    section("Cron jobs", "cron[].", CronSettings)
  ].join("\n\n") + "\n"

const section = (title: string, prefix: string, schema: Parameters<typeof jsonSchema>[0]): string =>
  [
    `## ${title}`,
    "",
    "| setting | default | what it is |",
    "| --- | --- | --- |",
    ...rows(prefix, jsonSchema(schema))
  ].join("\n")

const rows = (prefix: string, schema: unknown): ReadonlyArray<string> =>
  alternatives(schema).flatMap((node) => {
    const required: unknown = node["required"]
    return Object.entries(propertiesOf(node)).flatMap(([key, property]) => {
      const within = rows(`${prefix}${key}.`, property)
      if (within.length > 0) return within
      const needed = Array.isArray(required) && required.includes(key)
      return [`| \`${prefix}${key}\` | ${defaultOf(property, needed)} | ${escape(descriptionOf(property))} |`]
    })
  })

/** What was noted beside a schema; the newest note counts. */
const note = (schema: unknown, name: string): unknown => {
  if (!Predicate.isObject(schema)) return undefined
  const notes = Array.isArray(schema["allOf"]) ? schema["allOf"] : []
  return [schema, ...notes]
    .map((part) => (Predicate.isObject(part) ? part[name] : undefined))
    .findLast(Predicate.isNotUndefined)
}

const defaultOf = (schema: unknown, needed: boolean): string => {
  const value = note(schema, "default")
  if (value === undefined) return needed ? "needed" : ""
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``
}

const descriptionOf = (schema: unknown): string => String(note(schema, "description") ?? "")

const escape = (text: string): string => text.replaceAll("|", "\\|")
