/**
 * The JSON Schema of the file, for editors: what the settings' schema says, and a `${…}` wherever it leaves a choice, since
 * what that stands for is not known while the file is written.
 */
import { Predicate } from "effect"
import { jsonSchema, note } from "./keys.ts"
import { File } from "./Settings.ts"

type Node = { readonly [key: string]: unknown }

const reference = { type: "string", pattern: "\\$\\{[^}]*\\}" }

/** What `evergate config schema` prints. */
export const schemaDocument = (): Node => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "evergate.yaml",
  ...within(jsonSchema(File)),
  $defs: { reference }
})

const within = (node: Node): Node => {
  const { properties, items, anyOf, ...rest } = node
  return {
    ...rest,
    ...(Predicate.isObject(properties) ? { properties: eachOf(properties) } : {}),
    ...(Predicate.isObject(items) ? { items: withReference(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.filter(Predicate.isObject).map(within) } : {})
  }
}

/** `kind` is spelled out: it says which schema the rest has. */
const eachOf = (properties: Node): Node =>
  Object.fromEntries(
    Object.entries(properties).map(([key, node]) => [
      key,
      key === "kind" || !Predicate.isObject(node) ? node : withReference(node)
    ])
  )

const withReference = (node: Node): Node => {
  if (isMapping(node) || isFree(node)) return within(node)
  const notes = { description: note(node, "description"), default: note(node, "default") }
  return { ...notes, anyOf: [node, { $ref: "#/$defs/reference" }] }
}

const branchesOf = (node: Node): ReadonlyArray<Node> =>
  Array.isArray(node["anyOf"]) ? node["anyOf"].filter(Predicate.isObject) : [node]

/** Made of settings of its own, or a list. */
const isMapping = (node: Node): boolean => branchesOf(node).some(({ type }) => type === "object" || type === "array")

/** Any text will do, a `${…}` as well. */
const isFree = (node: Node): boolean =>
  node["type"] === "string" && node["enum"] === undefined && !JSON.stringify(node).includes('"pattern"')
