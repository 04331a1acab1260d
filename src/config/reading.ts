/**
 * Decodes the parts of a document one by one and collects what is wrong with each, so that one fault hides no other: what
 * settings say of each other is looked at too, wherever those settings themselves are right.
 */
import { Option, Predicate, Result, Schema } from "effect"
import type { Document, Path } from "./document.ts"
import { at, print, without } from "./document.ts"
import { keysAt } from "./keys.ts"
import { nearest } from "./nearest.ts"
import type { Fault } from "./report.ts"
import { fault, issuesOf, misfit } from "./report.ts"

/** A mapping whose `kind` says which schema it has. */
export interface Kinds<S extends Schema.Codec<unknown, unknown>> {
  readonly known: Readonly<Record<string, S>>
  /** Named by the contract and not built yet. */
  readonly later: ReadonlyArray<string>
  /** What all kinds have, so that it is looked at where the kind is wrong. */
  readonly common: Schema.Codec<unknown, unknown>
}

export interface Reading {
  readonly faults: ReadonlyArray<Fault>
  /** Tells a fault of the key at a path; of one key the first counts. */
  readonly tell: (
    path: Path,
    rest: { readonly expected: string; readonly found?: string; readonly hint: string }
  ) => void
  /** What the schema makes of a part; null after telling why nothing. `keys` are those of the document's own schema. */
  readonly decode: <S extends Schema.Codec<unknown, unknown>>(
    schema: S,
    raw: unknown,
    path: Path,
    keys?: (path: Path) => ReadonlyArray<string>
  ) => S["Type"] | null
  /** The same for a part whose `kind` says which schema it has. */
  readonly decodeKind: <S extends Schema.Codec<unknown, unknown>>(
    kinds: Kinds<S>,
    raw: unknown,
    path: Path
  ) => S["Type"] | null
  /** Some settings of a mapping, to be compared; null where one of them has a fault of its own, which is told already. */
  readonly part: <S extends Schema.Codec<unknown, unknown> & { readonly fields: object }>(
    schema: S,
    raw: unknown,
    path: Path
  ) => S["Type"] | null
  /** The elements of a list, after telling which of them have an `id` that stood before; none of what is no list. */
  readonly list: (raw: unknown, path: Path) => ReadonlyArray<unknown>
}

/** A schema stops at the first of its stages that fails: what is told is taken out, and the rest is looked at again. */
const mostRounds = 8

/** `holes` are the paths whose `${…}` stands for nothing: told elsewhere, and nothing follows from what is there. */
export const reading = (document: Document, holes: ReadonlyArray<Path> = []): Reading => {
  const faults: Array<Fault> = []
  const told = new Set(holes.map(print))
  /** Values that do not fit, as against those that do not fit together. */
  const wrong: Array<Path> = [...holes]

  const add = (path: Path, found: Fault): void => {
    if (told.has(print(path))) return
    told.add(print(path))
    faults.push(found)
  }
  const tell: Reading["tell"] = (path, rest) => add(path, fault(document, path, rest))

  const decodeAs =
    (onExcessProperty: "error" | "ignore"): Reading["decode"] =>
    (schema, raw, path, keys = keysAt(schema)) => {
      const decodeRest = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty })
      const seen = new Set<string>()
      let rest = raw
      for (let round = 0; round < mostRounds; round++) {
        const decoded = decodeRest(rest)
        if (Result.isSuccess(decoded)) return round === 0 ? decoded.success : null
        const issues = issuesOf(decoded.failure.issue).filter((issue) => !seen.has(print(issue.path)))
        if (issues.length === 0) return null
        for (const issue of issues) {
          const whole = [...path, ...issue.path]
          add(whole, misfit(document, whole, issue.message, keys(issue.path.slice(0, -1))))
          wrong.push(whole)
          seen.add(print(issue.path))
          rest = without(rest, issue.path)
        }
      }
      return null
    }
  const decode = decodeAs("error")

  const decodeKind: Reading["decodeKind"] = ({ known, later, common }, raw, path) => {
    const kind = Predicate.isObject(raw) ? raw["kind"] : undefined
    const schema = typeof kind === "string" && Object.hasOwn(known, kind) ? known[kind] : undefined
    if (schema !== undefined) return decode(schema, raw, path)
    const isLater = typeof kind === "string" && (later.includes(kind) || kind.startsWith("module:"))
    const near = typeof kind === "string" ? nearest(kind, [...Object.keys(known), ...later]) : null
    const meant = near === null ? "see docs/settings.md" : `did you mean "${near}"?`
    const hint = isLater ? `${kind} is not built yet; leave it out` : meant
    tell([...path, "kind"], { expected: Object.keys(known).join(" or "), hint })
    if (Predicate.isObject(raw)) decodeAs("ignore")(common, raw, path)
    return null
  }

  const part: Reading["part"] = (schema, raw, path) => {
    const paths = Object.keys(schema.fields).map((key) => [...path, key])
    if (paths.some((wanted) => wrong.some((other) => overlap(wanted, other)))) return null
    return Option.getOrNull(Schema.decodeUnknownOption(schema)(raw ?? {}))
  }

  const list: Reading["list"] = (raw, path) => {
    if (!Array.isArray(raw)) {
      tell(path, { expected: "a list", hint: "see docs/settings.md" })
      return []
    }
    const ids = raw.map((item) => at(item, ["id"]))
    ids.forEach((id, index) => {
      if (id === undefined || ids.indexOf(id) === index) return
      tell([...path, index, "id"], { expected: "an id of its own", hint: "no two may share one; rename it" })
    })
    return raw
  }

  return { faults, tell, decode, decodeKind, part, list }
}

/** One of them stands at the other or within it. */
const overlap = (one: Path, other: Path): boolean =>
  one.every((step, index) => index >= other.length || step === other[index])
