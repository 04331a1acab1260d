/** docs/settings.md: what the schema says of itself, for people. */
import { alternatives, jsonSchema, note, propertiesOf } from "./keys.ts"
import { CronSettings, EchoAgent, FeishuSettings, HttpAgent, LocalSettings, Sections } from "./Settings.ts"

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

const defaultOf = (schema: unknown, needed: boolean): string => {
  const value = note(schema, "default")
  if (value === undefined) return needed ? "needed" : ""
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``
}

const descriptionOf = (schema: unknown): string => String(note(schema, "description") ?? "")

const escape = (text: string): string => text.replaceAll("|", "\\|")
