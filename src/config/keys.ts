/** The keys that a schema has, and all that is said of them: read from its JSON Schema, so that nothing is said twice. */
import { Predicate, Schema } from "effect"
import type { Path } from "./document.ts"

/** The JSON Schema of what is written in a file. Unknown keys are refused. */
export const jsonSchema = (schema: Schema.Top) =>
  Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }).schema

/** The names of the keys at a path. */
export const keysAt = (schema: Schema.Top): ((path: Path) => ReadonlyArray<string>) => {
  const root = jsonSchema(schema)
  return (path) => Object.keys(path.reduce<ReadonlyArray<unknown>>(descend, [root]).reduce<object>(merge, {}))
}

const descend = (nodes: ReadonlyArray<unknown>, step: string | number): ReadonlyArray<unknown> =>
  nodes.flatMap(alternatives).flatMap((node) => {
    const next = typeof step === "number" ? node["items"] : propertiesOf(node)[step]
    return next === undefined ? [] : [next]
  })

const merge = (all: object, node: unknown): object => ({
  ...all,
  ...Object.assign({}, ...alternatives(node).map(propertiesOf))
})

/** The schema itself, or each of those that it may be. */
export const alternatives = (node: unknown): ReadonlyArray<{ readonly [key: string]: unknown }> => {
  if (!Predicate.isObject(node)) return []
  const branches = node["anyOf"] ?? node["oneOf"]
  return Array.isArray(branches) ? branches.flatMap(alternatives) : [node]
}

export const propertiesOf = (node: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } =>
  Predicate.isObject(node["properties"]) ? node["properties"] : {}

/** What was noted beside a schema; the newest note counts. */
export const note = (schema: unknown, name: string): unknown => {
  if (!Predicate.isObject(schema)) return undefined
  const notes = Array.isArray(schema["allOf"]) ? schema["allOf"] : []
  return [schema, ...notes]
    .map((part) => (Predicate.isObject(part) ? part[name] : undefined))
    .findLast(Predicate.isNotUndefined)
}
