/** How many of a list are asked for. */
import { Schema } from "effect"

export const Limit = Schema.optionalKey(
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1_000 }))
)

/** Where nobody says how many. */
export const defaultLimit = 100
