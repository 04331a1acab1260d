/** An instant as people and JSON read it. */
import { DateTime, Option } from "effect"

/** ISO 8601 in UTC; a number that is no instant is shown as it is. */
export const iso = (millis: number): string =>
  Option.match(DateTime.make(millis), { onNone: () => String(millis), onSome: DateTime.formatIso })

export const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))
