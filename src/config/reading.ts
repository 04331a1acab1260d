/** Decodes the parts of a document one by one and collects what is wrong with each, so that one fault hides no other. */
import { Predicate, Result, Schema } from "effect"
import type { Document, Path } from "./document.ts"
import { at, print, without } from "./document.ts"
import { keysAt } from "./keys.ts"
import { nearest } from "./nearest.ts"
import type { Fault } from "./report.ts"
import { fault, issuesOf, misfit } from "./report.ts"

export interface Reading {
  readonly faults: ReadonlyArray<Fault>
  /** Tells a fault of the key at a path. */
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
  /** The same for a part whose `kind` says which schema it has; those of `later` are known and not built yet. */
  readonly decodeKind: <S extends Schema.Codec<unknown, unknown>>(
    kinds: Readonly<Record<string, S>>,
    later: ReadonlyArray<string>,
    raw: unknown,
    path: Path
  ) => S["Type"] | null
  /** The elements of a list, after telling which of them have an `id` that stood before; none of what is no list. */
  readonly list: (raw: unknown, path: Path) => ReadonlyArray<unknown>
}

/** A schema stops at the first of its stages that fails: what is told is taken out, and the rest is looked at again. */
const mostRounds = 8

export const reading = (document: Document): Reading => {
  const faults: Array<Fault> = []
  const tell: Reading["tell"] = (path, rest) => void faults.push(fault(document, path, rest))

  const decode: Reading["decode"] = (schema, raw, path, keys = keysAt(schema)) => {
    const told = new Set<string>()
    let rest = raw
    for (let round = 0; round < mostRounds; round++) {
      const decoded = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(rest)
      if (Result.isSuccess(decoded)) return round === 0 ? decoded.success : null
      const issues = issuesOf(decoded.failure.issue).filter((issue) => !told.has(print(issue.path)))
      if (issues.length === 0) return null
      for (const issue of issues) {
        faults.push(misfit(document, [...path, ...issue.path], issue.message, keys(issue.path.slice(0, -1))))
        told.add(print(issue.path))
        rest = without(rest, issue.path)
      }
    }
    return null
  }

  const decodeKind: Reading["decodeKind"] = (kinds, later, raw, path) => {
    const kind = Predicate.isObject(raw) ? raw["kind"] : undefined
    const schema = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (schema !== undefined) return decode(schema, raw, path)
    const known = Object.keys(kinds)
    if (typeof kind === "string" && (later.includes(kind) || kind.startsWith("module:"))) {
      tell([...path, "kind"], { expected: known.join(" or "), hint: `${kind} is not built yet; leave it out` })
    } else {
      const near = typeof kind === "string" ? nearest(kind, [...known, ...later]) : null
      const hint = near === null ? "see docs/settings.md" : `did you mean "${near}"?`
      tell([...path, "kind"], { expected: known.join(" or "), hint })
    }
    return null
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

  return { faults, tell, decode, decodeKind, list }
}
