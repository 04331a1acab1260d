/** The file that `evergate config init` writes. What has its `#` right before the key is a setting to be taken in. */

export const template = `# The configuration of evergate. A setting that is not here has its default; docs/settings.md lists all of them.
#
# - \`evergate config check\` says all that is wrong with this file, and starts nothing.
# - \`evergate run\` runs the gateway.
#
# Inside a value \${NAME} is an environment variable, \${NAME:-text} one with a default, \${file:/path} the text of a
# file: so secrets stay out of this one. Variables can be kept in a file of their own: --env-file FILE.
#
# An editor that knows YAML completes and checks this file with the schema that \`evergate config schema\` prints.

# The database, locks and logs.
#home: ~/.evergate

# The page and the API. A host other than loopback needs a token.
#http: { host: 127.0.0.1, port: 8787, token: "\${EVERGATE_HTTP_TOKEN:-}" }

#log: { level: info, format: auto }
#keep: { messages: 7d, history: 30d, runs: 30d }

platforms:
  # The chat on the gateway's own page.
  - { id: local, kind: local }

  # Feishu, or Lark with FEISHU_DOMAIN=lark. The id is the account's name in addresses and logs.
  - id: feishu
    kind: feishu
    appId: \${FEISHU_APP_ID}
    appSecret: \${FEISHU_APP_SECRET}
    domain: \${FEISHU_DOMAIN:-feishu}
    # direct: open (anyone) or allowlist; group: mention, all or off. Ids are texts: put digits in quotes.
    access: { direct: open, group: mention, allow: [], deny: [] }

# Who answers: an echo, or a server that takes each turn as JSON (docs/agents.md).
agent: { kind: echo }
#agent: { kind: http, url: "http://127.0.0.1:9000/turn", secret: "\${EVERGATE_AGENT_SECRET:-}", timeout: 10m }

# A conversation for each chat, for each user within it, or for each thread.
#sessions: { scope: chat }

# Who may change things: <platform id>:<user id>.
#admins: [ "local:me" ]

# Who is told when a platform is down for long, and when it is back: a chat elsewhere, a webhook, a dead man's switch.
#alarms: [ { webhook: "https://ops.example/hook" }, { heartbeat: "https://ops.example/alive", every: 1m } ]

# Jobs, by 5 or 6 cron fields, @daily and the like, \`every 30m\`, or an instant.
#cron:
#  - id: morning
#    schedule: "0 9 * * 1-5"
#    timezone: Asia/Shanghai
#    deliverTo: local:me
#    text: Good morning.
`
