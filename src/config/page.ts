/** docs/settings.md: what the schema says of itself, for people. */
import { alternatives, jsonSchema, note, propertiesOf } from "./keys.ts"
import {
  ChatAlarm,
  CronSettings,
  EchoAgent,
  FeishuSettings,
  HeartbeatAlarm,
  HttpAgent,
  LocalSettings,
  Sections,
  WebhookAlarm
} from "./Settings.ts"

const intro = `# Settings

<!-- Made from src/config/Settings.ts by \`npm run docs\`; do not edit by hand. -->

Every setting of \`evergate.yaml\`. \`evergate config init\` writes a file to begin with, \`evergate config check\` says all that is
wrong with one, and \`evergate config schema\` prints its JSON Schema, by which an editor completes and checks it.

## Where it comes from

The first of these that is there is taken, alone; the first log line and \`config.source\` of the status say which.

1. \`--config FILE\`, before the name of a command or after it
2. \`$EVERGATE_CONFIG\`
3. \`./evergate.yaml\`
4. \`$EVERGATE_HOME/evergate.yaml\`, else \`~/.evergate/evergate.yaml\`
5. environment variables alone, where any of the table asks for a platform or an agent
6. the embedded defaults: the local chat and the echo agent, with a sample job

A file that is named, or is there, and cannot be read is a fault; it is not passed over. \`evergate demo\` takes the embedded
defaults whatever lies about.

YAML or JSON. Durations are a number and a unit: \`500ms\`, \`15s\`, \`10m\`, \`24h\`, \`7d\`. Ids are texts: digits belong in quotes.
Inside a value \`\${NAME}\`, \`\${NAME:-default}\` and \`\${file:/path}\` are filled in; \`$\${\` stands for \`\${\` itself. A variable that is
not set and has no default is a fault of that setting, and so is a placeholder such as \`your-secret-here\`. Commands that only
talk to the running gateway (\`status\`, \`send\`, \`cron\`) read no more of the file than \`home\`, \`http\` and \`store\`, so they need none of
the other variables.

## Environment variables

| variable | what it is |
| --- | --- |
| \`EVERGATE_CONFIG\` | the configuration file |
| \`EVERGATE_HOME\` | where the state is kept, unless the file's \`home\` says; \`~/.evergate\` if not set |
| \`FEISHU_APP_ID\`, \`FEISHU_APP_SECRET\` | without a file: an account of Feishu with the id \`feishu\`. With one they are used by \`\${…}\` alone |
| \`FEISHU_DOMAIN\` | without a file: \`feishu\`, \`lark\` or a base URL |
| \`EVERGATE_HTTP_TOKEN\` | without a file: \`http.token\` |
| \`EVERGATE_AGENT_URL\`, \`EVERGATE_AGENT_SECRET\` | an agent over HTTP. It wants a file, where each platform says whom it hears |
| \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\` | the way out, where \`proxy\` is \`env\` |
| \`NODE_EXTRA_CA_CERTS\` | a file of more certificates to trust |
| \`TZ\` | the zone of jobs that name none |

\`--env-file FILE\` reads variables from a file, \`NAME=value\` a line; those of the process go before them. \`./.env\` is not read by
itself. Variables of platforms and agents that this version does not have are refused by their name.`

/** The text of docs/settings.md. */
export const settingsPage = (): string =>
  [
    intro,
    section("The gateway", "", Sections),
    section("Platforms of kind `feishu`", "platforms[].", FeishuSettings),
    section("Platforms of kind `local`", "platforms[].", LocalSettings),
    section("The agent `echo`", "agent.", EchoAgent),
    section("The agent `http`", "agent.", HttpAgent),
    section("Alarms to a chat", "alarms[].", ChatAlarm),
    section("Alarms to a webhook", "alarms[].", WebhookAlarm),
    section("A dead man's switch", "alarms[].", HeartbeatAlarm),
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
