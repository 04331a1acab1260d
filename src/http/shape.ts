/** A JSON schema as people read it: the shape of what goes over the wire, without the words of the standard. */
import { Predicate } from "effect"

type Definitions = Readonly<Record<string, unknown>>

/** In lines, each deeper level two spaces further in. */
export const shapeOf = (schema: unknown, definitions: Definitions, depth = 0): string => {
  if (!isRecord(schema) || depth > deepest) return "any"
  const { anyOf, const: constant, enum: words, items, type } = schema
  const reference = schema["$ref"]
  const inner = (part: unknown) => shapeOf(part, definitions, depth)
  if (typeof reference === "string") {
    return shapeOf(definitions[reference.slice(reference.lastIndexOf("/") + 1)], definitions, depth + 1)
  }
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(inner))].join(" | ")
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(" | ")
  if (type === "array") return `Array<${inner(items)}>`
  return type === "object" ? objectOf(schema, definitions, depth) : typeof type === "string" ? type : "any"
}

/** A schema may speak of itself. */
const deepest = 12

const objectOf = (schema: Definitions, definitions: Definitions, depth: number): string => {
  const { additionalProperties, properties, required } = schema
  if (!isRecord(properties)) return `{ [name]: ${shapeOf(additionalProperties, definitions, depth + 1)} }`
  const margin = "  ".repeat(depth)
  const lines = Object.entries(properties).map(([name, part]) => {
    const mark = Array.isArray(required) && required.includes(name) ? "" : "?"
    return `${margin}  ${name}${mark}: ${shapeOf(part, definitions, depth + 1)}`
  })
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${margin}}`
}

const isRecord = (value: unknown): value is Definitions => Predicate.isObject(value) && !Array.isArray(value)
