/** What was given to be logged, as an entry of the log. Secrets that are known are masked wherever they turn up. */
import { Cause, Formatter, Predicate, Redacted } from "effect"
import type { LogEntry } from "./logText.ts"

export type Mask = (text: string) => string

/** A shorter secret would be found in half of all words; what holds it is redacted by itself. */
const shortestMasked = 6
/** Stacks are long; what is longer than this is no line any more. */
const longestValue = 16_384

/** Replaces the secrets in a text, also where they are written as in a URL or in JSON. The list may grow meanwhile. */
export const maskOf = (secrets: ReadonlyArray<Redacted.Redacted>): Mask => {
  let forms = formsOf(secrets)
  let known = secrets.length
  return (text) => {
    if (secrets.length !== known) {
      forms = formsOf(secrets)
      known = secrets.length
    }
    return forms.reduce((masked, form) => masked.replaceAll(form, "<redacted>"), text)
  }
}

const formsOf = (secrets: ReadonlyArray<Redacted.Redacted>): ReadonlyArray<string> => {
  const long = secrets.map(Redacted.value).filter((secret) => secret.length >= shortestMasked)
  const forms = long.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  // The longest first: one may be part of another.
  return Array.from(new Set(forms)).toSorted((one, other) => other.length - one.length)
}

/** What was given to be logged, as an event and its fields. */
export const entryOf = (
  logged: {
    readonly at: number
    readonly level: string
    readonly message: unknown
    readonly annotations: Readonly<Record<string, unknown>>
    readonly cause: Cause.Cause<unknown>
  },
  mask: Mask
): LogEntry => {
  const causes = logged.cause.reasons.length > 0 ? [["cause", Cause.pretty(logged.cause)] as const] : []
  const words = Array.isArray(logged.message) ? logged.message : [logged.message]
  return {
    at: logged.at,
    level: logged.level.toUpperCase(),
    event: mask(words.map(textOf).join(" ")),
    fields: [...Object.entries(logged.annotations), ...causes]
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, valueOf(value, mask)])
  }
}

const valueOf = (value: unknown, mask: Mask): string | number | boolean => {
  if (typeof value === "number" || typeof value === "boolean") return value
  const text = mask(textOf(value))
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (Redacted.isRedacted(value)) return "<redacted>"
  return Predicate.isError(value) ? (value.stack ?? value.message) : Formatter.formatJson(value)
}
