/** Puts values in the place of `${…}`, and tells which of them there is none for. */
import { Effect } from "effect"
import type { Document, Path } from "./document.ts"
import { fill, referencesOf } from "./document.ts"
import type { Environment, Resolved } from "./references.ts"
import { resolve } from "./references.ts"
import type { Fault } from "./report.ts"
import { fault } from "./report.ts"

/** The tree of a document, or a part of it, filled in; its holes are where a `${…}` stands for nothing. */
export const fillIn = Effect.fnUntraced(function* (document: Document, raw: unknown, env: Environment, folder: string) {
  const values = new Map<string, Resolved>()
  for (const reference of referencesOf(raw)) values.set(reference, yield* resolve(reference, env, folder))
  const faults: Array<Fault> = []
  const holes: Array<Path> = []
  const tree = fill(
    raw,
    (reference) => {
      const resolved = values.get(reference)
      return resolved?._tag === "Value" ? resolved.value : null
    },
    (path, text) => {
      const resolved = values.get(text.slice(2, -1))
      holes.push(path)
      if (resolved?._tag === "Missing")
        faults.push(fault(document, path, { ...resolved, expected: `a value for ${text}` }))
    }
  )
  return { tree, faults, holes }
})
