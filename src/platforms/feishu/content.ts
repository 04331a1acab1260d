/**
 * What a message says, by its type: text and rich text as text, everything else as a typed placeholder with its
 * attachment, so that none is silent. Pure and total: whatever Feishu sends, something readable comes out.
 */
import { Option, Predicate } from "effect"
import type { Attachment } from "../../domain/Inbound.ts"

export interface Content {
  readonly text: string
  readonly attachments: ReadonlyArray<Attachment>
}

/** What stands for a mention's placeholder (`@_user_1`); undefined where nothing is known of it. */
export type NameOf = (key: string) => string | undefined

export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** `content` is the message's own JSON text; of a message already recalled it is empty. */
export const contentOf = (type: string, content: string, nameOf: NameOf): Content => {
  const body = Option.getOrUndefined(parseJson(content))
  switch (type) {
    case "text":
      return said(withNames(string(body, "text"), nameOf))
    case "post":
      return rich(type, body, "content", nameOf)
    case "interactive":
      return rich(type, body, "elements", nameOf)
    default:
      return placeholder(type, body)
  }
}

const said = (text: string): Content => ({ text: text.trim(), attachments: [] })

/** A type that comes with something to fetch, and where its key is. */
const keys: Readonly<Record<string, string>> = {
  image: "image_key",
  file: "file_key",
  folder: "file_key",
  audio: "file_key",
  media: "file_key",
  sticker: "file_key"
}

/** What of the other types is worth reading. */
const telling = ["name", "topic", "summary", "text", "chat_id", "user_id", "template"]

const placeholder = (type: string, body: unknown): Content => {
  const kind = type === "" ? "message" : type.slice(0, 64)
  const key = keys[type]
  if (key !== undefined) {
    return { text: `[${kind}]`, attachments: [attachment(kind, string(body, key), string(body, "file_name"))] }
  }
  const detail = telling.map((name) => string(body, name)).find((value) => value !== "")
  return said(`[${kind}] ${detail ?? ""}`)
}

const attachment = (kind: string, key: string, name: string): Attachment => ({
  kind,
  key: key === "" ? null : key,
  name: name === "" ? null : name
})

/** A title, then paragraphs of nodes. */
const rich = (type: string, body: unknown, field: string, nameOf: NameOf): Content => {
  const paragraphs = list(property(body, field)).map(list)
  const lines = paragraphs.map((nodes) => nodes.map((node) => nodeText(node, nameOf)).join(""))
  const text = [string(body, "title"), ...lines].join("\n").trim()
  const attachments = paragraphs.flat().flatMap(nodeAttachment)
  return { text: text === "" && attachments.length === 0 ? `[${type}]` : text, attachments }
}

const nodeText = (node: unknown, nameOf: NameOf): string => {
  switch (string(node, "tag")) {
    case "at": {
      const key = string(node, "user_id")
      return nameOf(key) ?? `@${string(node, "user_name") || key}`
    }
    case "a":
      return link(string(node, "text"), string(node, "href"))
    case "img":
      return "[image]"
    case "media":
      return "[media]"
    case "emotion":
      return `[${string(node, "emoji_type")}]`
    case "hr":
      return "---"
    case "code_block":
      return `\`\`\`${string(node, "language").toLowerCase()}\n${string(node, "text")}\n\`\`\``
    default:
      return string(node, "text")
  }
}

const link = (text: string, href: string): string => (href === "" || href === text ? text : `${text} (${href})`)

const nodeAttachment = (node: unknown): ReadonlyArray<Attachment> => {
  switch (string(node, "tag")) {
    case "img":
      return [attachment("image", string(node, "image_key"), "")]
    case "media":
      return [attachment("media", string(node, "file_key"), string(node, "file_name"))]
    default:
      return []
  }
}

const withNames = (text: string, nameOf: NameOf): string =>
  text.replaceAll(/@_(?:user_\d+|all)/g, (key) => nameOf(key) ?? key)

const property = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

const string = (value: unknown, key: string): string => {
  const found = property(value, key)
  return Predicate.isString(found) ? found : ""
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
