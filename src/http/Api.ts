/** The contract's endpoints, schema first: what is asked, what is answered, how it is refused. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { JobId } from "../domain/Job.ts"
import { Misconfigured, Reloaded } from "./Configuration.ts"
import { Limit } from "./limit.ts"
import { PlatformGroup } from "./platformGroup.ts"
import { BadInput, NotFound, Unavailable } from "./problems.ts"
import { JobSummary, Status } from "./Status.ts"
import { TreePart } from "./Tree.ts"
import { TraceGroup } from "./traceGroup.ts"
import { OutboxGroup, SessionsGroup } from "./waitingGroups.ts"

export const largestText = 100_000
/** What can be said. */
export const Text = Schema.NonEmptyString.check(Schema.isMaxLength(largestText))

export const Accepted = Schema.Struct({ id: Schema.String }).pipe(HttpApiSchema.status(202))

/** Instants are ISO 8601. */
export const RunView = Schema.Struct({
  job: Schema.String,
  scheduledAt: Schema.String,
  decidedAt: Schema.String,
  endedAt: Schema.NullOr(Schema.String),
  outcome: Schema.String,
  reason: Schema.NullOr(Schema.String),
  delivery: Schema.String
})

export const Line = Schema.Struct({
  id: Schema.String,
  from: Schema.Literals(["sender", "gateway"]),
  text: Schema.String,
  at: Schema.String
})

export class Gateway extends HttpApiGroup.make("gateway").add(
  HttpApiEndpoint.get("status", "/api/status", { success: Status }),
  HttpApiEndpoint.get("tree", "/api/tree", { success: TreePart }),
  HttpApiEndpoint.post("reload", "/api/reload", { success: Reloaded, error: [Misconfigured, Unavailable] }),
  HttpApiEndpoint.post("send", "/api/messages", {
    payload: Schema.Struct({
      to: Schema.String,
      text: Text,
      idempotencyKey: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(200)))
    }),
    success: Accepted,
    error: [BadInput, NotFound, Unavailable]
  })
) {}

export class Cron extends HttpApiGroup.make("cron").add(
  HttpApiEndpoint.get("jobs", "/api/cron", { success: Schema.Array(JobSummary) }),
  HttpApiEndpoint.post("run", "/api/cron/:id/run", {
    params: { id: JobId },
    success: RunView,
    error: [NotFound, Unavailable]
  }),
  HttpApiEndpoint.get("runs", "/api/cron/:id/runs", {
    params: { id: JobId },
    query: { limit: Limit },
    success: Schema.Array(RunView),
    error: [NotFound, Unavailable]
  })
) {}

/** The page's own chat. */
export class Chat extends HttpApiGroup.make("chat").add(
  HttpApiEndpoint.get("transcript", "/api/chat", { success: Schema.Array(Line), error: [NotFound, Unavailable] }),
  HttpApiEndpoint.post("say", "/api/chat", {
    payload: Schema.Struct({ text: Text }),
    success: Accepted,
    error: [NotFound, Unavailable]
  })
) {}

export class Api extends HttpApi.make("evergate")
  .add(Gateway)
  .add(PlatformGroup)
  .add(Cron)
  .add(Chat)
  .add(OutboxGroup)
  .add(SessionsGroup)
  .add(TraceGroup) {}
