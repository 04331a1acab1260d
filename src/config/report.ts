/**
 * What is wrong with a configuration: every fault at once, each with its key path, what was expected, what was found and
 * what to do. A secret's value is in none of them, nor what a `${…}` brought in: there the text of the file is shown.
 */
import { Predicate, Schema, SchemaIssue } from "effect"
import type { Document, Path } from "./document.ts"
import { at } from "./document.ts"
import { nearest } from "./nearest.ts"

export interface Fault {
  /** The key path, or the name of an environment variable. */
  readonly path: string
  /** In the file; null where there is none. */
  readonly line: number | null
  readonly expected: string
  readonly found: string
  readonly hint: string
}

/** The configuration is wrong; nothing was started. The process ends with 78. */
export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  /** Where the configuration came from. */
  source: Schema.String,
  faults: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      line: Schema.NullOr(Schema.Int),
      expected: Schema.String,
      found: Schema.String,
      hint: Schema.String
    })
  )
}) {
  override get message() {
    return this.told("nothing was started")
  }

  /** All of it, and what follows from it. */
  told(consequence: string): string {
    const count = this.faults.length === 1 ? "one fault" : `${this.faults.length} faults`
    return [`the configuration (${this.source}) has ${count}; ${consequence}`, ...this.faults.map(line)].join("\n")
  }
}

const line = ({ path, line, expected, found, hint }: Fault): string =>
  `  ${path}${line === null ? "" : ` (line ${line})`}: expected ${expected}; found ${found}; ${hint}`

/** A fault of the key at a path of the document. */
export const fault = (
  document: Document,
  path: Path,
  rest: { readonly expected: string; readonly found?: string; readonly hint: string }
): Fault => ({
  path: path.length === 0 ? "the whole of it" : document.nameOf(path),
  line: document.lineOf(path),
  expected: rest.expected,
  found: rest.found ?? found(document, path),
  hint: rest.hint
})

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a value does not fit its schema, and what was expected there. */
export const issuesOf = (issue: SchemaIssue.Issue): ReadonlyArray<{ readonly path: Path; readonly message: string }> =>
  format(issue).issues.map(({ message, path }) => ({ path: (path ?? []).map(toStep), message }))

/** The fault that a schema found at a path. `keys` are those that there are beside it. */
export const misfit = (document: Document, path: Path, message: string, keys: ReadonlyArray<string>): Fault => {
  if (message === "Expected no excess property") return unknownKey(document, path, keys)
  if (message === "Missing key") {
    return fault(document, path, { expected: "it to be there", found: "nothing", hint: "add it" })
  }
  const expected = message.replace(/^Expected /, "")
  const isUnquoted = expected === "string" && /^(number|bigint|boolean)$/.test(typeof at(document.raw, path))
  return fault(document, path, { expected, hint: isUnquoted ? "put it in quotes" : hintOf(expected) })
}

const hintOf = (expected: string): string =>
  expected.includes("not built yet") ? "leave it out until a later version has it" : "see docs/settings.md"

/** A key that there is not, with the one that was probably meant. */
const unknownKey = (document: Document, path: Path, known: ReadonlyArray<string>): Fault => {
  const key = String(path.at(-1))
  const near = nearest(key, known)
  return fault(document, path, {
    expected: "a known key",
    found: `"${key}"`,
    hint: near === null ? `the keys here are ${known.join(", ")}` : `did you mean "${near}"?`
  })
}

/** An element of a path of the Standard Schema. */
const toStep = (step: unknown): string | number => {
  const key = Predicate.isObject(step) && "key" in step ? step.key : step
  return typeof key === "number" ? key : String(key)
}

const secretKeys = /secret|token|key$|password|webhook/i

/** What stands at a path, without what nobody should read. */
const found = (document: Document, path: Path): string => {
  const raw = at(document.raw, path)
  if (raw === undefined || raw === null) return "nothing"
  if (raw === "") return "an empty text"
  if (typeof raw === "bigint") return `a number that a reader would change, ${raw}; put it in quotes`
  if (typeof raw === "object") return `a ${kindOf(raw)}`
  if (typeof raw === "string" && raw.includes("${")) return `what ${raw} stands for`
  if (secretKeys.test(String(path.at(-1)))) return `a ${kindOf(raw)} that is not shown`
  return clip(withoutCredentials(`${kindOf(raw)} ${JSON.stringify(raw)}`))
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return "list"
  return typeof value === "string" ? "text" : typeof value === "object" ? "mapping" : typeof value
}

const withoutCredentials = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, "//***@")

const clip = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
