/** The secrets that settings hold, so that the log can mask them wherever they turn up. */
import { Predicate, Redacted } from "effect"

/** Every redacted value, and the passwords within URLs. */
export const secretsOf = (settings: unknown): ReadonlyArray<Redacted.Redacted> => {
  if (Redacted.isRedacted(settings)) return [Redacted.make(String(Redacted.value(settings)))]
  if (typeof settings === "string") return passwordOf(settings)
  return Predicate.isObjectOrArray(settings) ? Object.values(settings).flatMap(secretsOf) : []
}

const passwordOf = (text: string): ReadonlyArray<Redacted.Redacted> => {
  const password = URL.canParse(text) ? new URL(text).password : ""
  return password === "" ? [] : [Redacted.make(password), Redacted.make(decodeURIComponent(password))]
}
