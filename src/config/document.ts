/**
 * A configuration as a tree that remembers where it came from. `${…}` is set aside before YAML reads the text, since its
 * braces are YAML's own inside of `{ … }`; what it stands for is filled in afterwards, by `fill`.
 */
import { Predicate, Result } from "effect"
import { isScalar, LineCounter, parseDocument, visit } from "yaml"

/** Keys and indexes from the root. */
export type Path = ReadonlyArray<string | number>

/** What stands at a path; undefined where there is nothing. */
export const at = (tree: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    // Only own keys: `constructor` is no setting.
    (node, step) =>
      Predicate.isObjectOrArray(node) && Object.hasOwn(node, step) ? Reflect.get(node, step) : undefined,
    tree
  )

/** The tree without what stands at a path; an element of a list goes with its list, so that no other changes its place. */
export const without = (tree: unknown, [key, ...rest]: Path): unknown => {
  if (!Predicate.isObject(tree) || key === undefined) return tree
  const { [key]: value, ...others } = tree
  return rest.length === 0 || !Predicate.isObject(value) ? others : { ...others, [key]: without(value, rest) }
}

/** `platforms[0].appSecret`. */
export const print = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`
    return text === "" ? step : `${text}.${step}`
  }, "")

/** What the text says, with its `${…}` as they were written. */
export interface Document {
  readonly raw: unknown
  readonly lineOf: (path: Path) => number | null
  /** What a person calls the setting: its key path, or the environment variable that it came from. */
  readonly nameOf: (path: Path) => string
}

/** A document that was made up by the gateway itself. */
export const made = (raw: unknown, nameOf: (path: Path) => string = print): Document => ({
  raw,
  lineOf: () => null,
  nameOf
})

/** What YAML says against the text, and where. */
export interface SyntaxFault {
  readonly line: number
  readonly message: string
}

/** What a text says, and what is wrong with it as a text. */
export interface Read {
  readonly document: Document
  readonly faults: ReadonlyArray<SyntaxFault>
  /** The whole text could be read, though a key of it may stand twice. */
  readonly isWhole: boolean
}

/** Reads YAML, of which JSON is a part. */
export const read = (text: string): Read => {
  const lines = new LineCounter()
  const { masked, unmask } = maskReferences(text)
  const yaml = parseDocument(masked, { lineCounter: lines, prettyErrors: false, intAsBigInt: true })
  const faults: Array<SyntaxFault> = []
  const tell = (offset: number, message: string) =>
    void faults.push({ line: lines.linePos(offset).line, message: unmask(message) })
  let isWhole = true
  const tellBroken = (offset: number, message: string) => {
    tell(offset, message)
    isWhole = false
  }
  for (const { code, message, pos } of yaml.errors) {
    if (code === "DUPLICATE_KEY") tell(pos[0], `a key that stands twice: ${keyAt(masked, pos[0])}`)
    else tellBroken(pos[0], message)
  }
  visit(yaml, {
    Scalar: (_, node) => void (node.value = settle(node.value, node.source, unmask)),
    Alias: (_, node, parents) => {
      const target = node.resolve(yaml)
      if (target === undefined) tellBroken(node.range?.[0] ?? 0, `the alias *${node.source} names nothing`)
      else if (parents.includes(target))
        tellBroken(node.range?.[0] ?? 0, `the alias *${node.source} stands within its own anchor`)
    }
  })
  const lineOf = (path: Path): number | null => {
    // A key that is missing is looked for where its parent stands.
    for (let rest = path; ; rest = rest.slice(0, -1)) {
      const node = yaml.getIn(rest, true)
      const range = isScalar(node) || Predicate.hasProperty(node, "range") ? node.range : undefined
      if (Array.isArray(range)) return lines.linePos(Number(range[0])).line
      if (rest.length === 0) return null
    }
  }
  // A document that did not parse is not read any further. Aliases that would blow it up are refused here.
  const tree: Result.Result<unknown, unknown> = isWhole ? Result.try(() => yaml.toJS()) : Result.succeed({})
  if (Result.isFailure(tree))
    tellBroken(0, Predicate.isError(tree.failure) ? tree.failure.message : String(tree.failure))
  const raw = Result.getOrElse(tree, () => ({})) ?? {}
  return { document: { raw, lineOf, nameOf: print }, faults, isWhole }
}

const keyAt = (text: string, offset: number): string => /[^\s:,{}[\]]*/.exec(text.slice(offset))?.[0] ?? ""

/** A number stays one only where it reads back as it was written; otherwise it stays a bigint, which no setting takes. */
const settle = (value: unknown, source: string | undefined, unmask: (text: string) => string): unknown => {
  if (typeof value === "string") return unmask(value)
  if (typeof value !== "bigint") return value
  return Number.isSafeInteger(Number(value)) && String(value) === source ? Number(value) : value
}

const references = /\$?\$\{[^}\n]*\}/g

const maskReferences = (text: string) => {
  const found: Array<string> = []
  // Characters of the private use area are letters to YAML.
  const masked = text.replaceAll(references, (reference) => `\uE000${found.push(reference) - 1}\uE001`)
  const unmask = (part: string) =>
    part.replaceAll(/\uE000(\d+)\uE001/g, (whole, index) => found[Number(index)] ?? whole)
  return { masked, unmask }
}

/** The names inside of `${…}` that a tree asks for. */
export const referencesOf = (node: unknown): ReadonlyArray<string> => {
  if (typeof node === "string")
    return (node.match(references) ?? []).filter(isReference).map((text) => text.slice(2, -1))
  return Predicate.isObjectOrArray(node) ? Object.values(node).flatMap(referencesOf) : []
}

// `$${` stands for `${` itself.
const isReference = (text: string): boolean => !text.startsWith("$$")

/** The tree with what its `${…}` stand for; one that stands for nothing is told with its path, and left as it is. */
export const fill = (
  node: unknown,
  valueOf: (reference: string) => string | null,
  missing: (path: Path, reference: string) => void,
  path: Path = []
): unknown => {
  if (Array.isArray(node)) return node.map((item, index) => fill(item, valueOf, missing, [...path, index]))
  if (Predicate.isObject(node)) {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, fill(value, valueOf, missing, [...path, key])])
    )
  }
  if (typeof node !== "string") return node
  return node.replaceAll(references, (text) => {
    if (!isReference(text)) return text.slice(1)
    const value = valueOf(text.slice(2, -1))
    if (value === null) missing(path, text)
    return value ?? text
  })
}
