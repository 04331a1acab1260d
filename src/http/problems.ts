/** How a request can be refused: each answer says what was wrong, where, and what to do. */
import { Schema } from "effect"

const problem = {
  what: Schema.String,
  where: Schema.String,
  hint: Schema.String
}

export class BadInput extends Schema.TaggedError<BadInput>()("BadInput", problem, { httpApiStatus: 400 }) {}

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", problem, { httpApiStatus: 404 }) {}

/** Not now: the store does not take it, or the gateway stops. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", problem, { httpApiStatus: 503 }) {}
