/** The API, described: the spec of the endpoints, with what each is for, and the few answers that are not JSON beside them. */
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** What each is for; a test names those that are missing. */
const summaries: Readonly<Record<string, string>> = {
  "get /api/status": "How the gateway is",
  "get /api/tree": "Each long-lived part: uptime, restarts, last progress, what waits",
  "post /api/reload": "Reads the configuration again; what is wrong is told and changes nothing",
  "post /api/messages": "Sends a message; the same idempotencyKey twice is one message",
  "get /api/messages/{id}/trace": "What became of one message: why the bot did not reply",
  "get /api/platforms/{id}/timeline": "The state changes of a link, newest first",
  "post /api/platforms/{id}/reconnect": "A link that waits tries now; one that is up is replaced",
  "post /api/platforms/{id}/stop": "Stops a platform, until it is started or the gateway is",
  "post /api/platforms/{id}/start": "Starts a platform that was stopped",
  "get /api/cron": "The jobs, their next and their last runs",
  "post /api/cron/{id}/run": "Runs a job now",
  "get /api/cron/{id}/runs": "The past runs of a job, newest first",
  "get /api/chat": "The local chat's newest lines",
  "post /api/chat": "Says something in the local chat",
  "get /api/outbox": "Messages that are pending, or dead",
  "post /api/outbox/{id}/retry": "Sends a dead letter again",
  "delete /api/outbox/{id}": "Drops a message that was not delivered",
  "get /api/sessions": "The sessions",
  "delete /api/sessions/{key}": "Starts a session afresh"
}

const answer = (description: string, contentType: string) => ({
  description,
  content: { [contentType]: { schema: { type: "string" } } }
})

/** What is no JSON of the API's own. */
const others: Readonly<Record<string, { readonly summary: string; readonly type: string; readonly unwell?: string }>> =
  {
    "/livez": {
      summary: "Whether this process turns; never depends on a platform",
      type: "text/plain",
      unwell: "A part stands"
    },
    "/readyz": {
      summary: "Whether all is well; for alarms",
      type: "application/json",
      unwell: "Something is not well"
    },
    "/metrics": { summary: "For Prometheus", type: "text/plain" },
    "/api/events": { summary: "What happens, as server-sent events", type: "text/event-stream" }
  }

const operationOf = (
  path: string,
  { summary, type, unwell }: (typeof others)[string]
): OpenApi.OpenAPISpecOperation => ({
  operationId: path.slice(1).replace("/", "."),
  summary,
  parameters: [],
  responses: {
    200: answer("Success", type),
    ...(unwell === undefined ? {} : { 503: answer(unwell, type) })
  },
  tags: ["watching"],
  security: []
})

/** OpenAPI 3.1. */
export const specOf = (version: string): OpenApi.OpenAPISpec => {
  const spec = OpenApi.fromApi(Api)
  const described = Object.entries(spec.paths).map(([path, item]) => [path, withSummaries(path, item)] as const)
  const beside = Object.entries(others).map(([path, other]) => [path, { get: operationOf(path, other) }] as const)
  return {
    ...spec,
    info: { title: "evergate", version, description: "A gateway between chat platforms and an agent." },
    paths: Object.fromEntries([...described, ...beside]),
    tags: [...spec.tags, { name: "watching" }]
  }
}

const withSummaries = (path: string, item: OpenApi.OpenAPISpecPathItem): OpenApi.OpenAPISpecPathItem =>
  Object.fromEntries(
    operationsOf(item).map(([method, operation]) => {
      const summary = summaries[`${method} ${path}`]
      return [method, summary === undefined ? operation : { ...operation, summary }]
    })
  )

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const

/** Each with its method. */
export const operationsOf = (item: OpenApi.OpenAPISpecPathItem) =>
  methods.flatMap((method): ReadonlyArray<readonly [string, OpenApi.OpenAPISpecOperation]> => {
    const operation = item[method]
    return operation === undefined ? [] : [[method, operation]]
  })
