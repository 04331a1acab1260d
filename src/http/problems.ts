/** How a request can be refused: each answer says what was wrong, where, and what to do. */
import { Schema } from "effect"
import type { StoreError } from "../domain/Errors.ts"

const problem = {
  what: Schema.String,
  where: Schema.String,
  hint: Schema.String
}

export class BadInput extends Schema.TaggedError<BadInput>()("BadInput", problem, { httpApiStatus: 400 }) {}

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", problem, { httpApiStatus: 404 }) {}

/** Not as things stand. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", problem, { httpApiStatus: 409 }) {}

/** Not now: the store does not take it, or the gateway stops. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", problem, { httpApiStatus: 503 }) {}

/** What the store does not do now. */
export const unavailable = (error: StoreError): Unavailable =>
  new Unavailable({
    what: error.message,
    where: "the store",
    hint: "see `store` in the status; ask again once it is well"
  })

export const noPlatform = (id: string): NotFound =>
  new NotFound({ what: `there is no platform "${id}"`, where: "the platform's id", hint: "GET /api/status lists them" })
