/** The links, and what a hand may do with one, schema first. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PlatformId } from "../domain/Address.ts"
import { Limit } from "./limit.ts"
import { Conflict, NotFound, Unavailable } from "./problems.ts"
import { PlatformStatus } from "./Status.ts"

/** Instants are ISO 8601. */
export const Change = Schema.Struct({
  at: Schema.String,
  state: Schema.String,
  kind: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  attempt: Schema.Number,
  nextAttemptAt: Schema.NullOr(Schema.String)
})

const params = { id: PlatformId }

/** What a hand did is answered with the platform as it is then. */
export class PlatformGroup extends HttpApiGroup.make("platforms").add(
  HttpApiEndpoint.get("timeline", "/api/platforms/:id/timeline", {
    params,
    query: { limit: Limit },
    success: Schema.Array(Change),
    error: [NotFound, Unavailable]
  }),
  HttpApiEndpoint.post("reconnect", "/api/platforms/:id/reconnect", {
    params,
    success: PlatformStatus,
    error: [NotFound, Conflict]
  }),
  HttpApiEndpoint.post("stop", "/api/platforms/:id/stop", { params, success: PlatformStatus, error: NotFound }),
  HttpApiEndpoint.post("start", "/api/platforms/:id/start", { params, success: PlatformStatus, error: NotFound })
) {}
