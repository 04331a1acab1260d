/** The contract's endpoints, schema first: what is asked, what is answered, how it is refused. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PlatformId } from "../domain/Address.ts"
import { JobId } from "../domain/Job.ts"
import { BadInput, NotFound, Unavailable } from "./problems.ts"
import { JobSummary, Status } from "./Status.ts"
import { OutboxGroup, SessionsGroup } from "./waitingGroups.ts"

export const largestText = 100_000
/** What can be said. */
export const Text = Schema.NonEmptyString.check(Schema.isMaxLength(largestText))

const Limit = Schema.optionalKey(
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1_000 }))
)

export const Accepted = Schema.Struct({ id: Schema.String }).pipe(HttpApiSchema.status(202))

/** Instants are ISO 8601. */
export const Change = Schema.Struct({
  at: Schema.String,
  state: Schema.String,
  kind: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  attempt: Schema.Number,
  nextAttemptAt: Schema.NullOr(Schema.String)
})

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
  HttpApiEndpoint.get("timeline", "/api/platforms/:id/timeline", {
    params: { id: PlatformId },
    query: { limit: Limit },
    success: Schema.Array(Change),
    error: [NotFound, Unavailable]
  }),
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
  .add(Cron)
  .add(Chat)
  .add(OutboxGroup)
  .add(SessionsGroup) {}
