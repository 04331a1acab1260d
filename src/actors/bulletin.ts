/** What a road of the alarms is told: everything that happened since it was told last, in one message. Pure. */
import type { PlatformId } from "../domain/Address.ts"

/** Something that is wrong until it is cleared. */
export interface Trouble {
  /** Its name for as long as it lasts: told again under the same key, it is the same trouble. */
  readonly key: string
  /** Of a platform that cannot be spoken over meanwhile; null: of something else. */
  readonly platform: PlatformId | null
  /** In a sentence. */
  readonly what: string
  /** What to do about it. */
  readonly hint: string | null
}

/** A trouble began, or ended as `what` says. */
export type Notice =
  | { readonly _tag: "Raised"; readonly trouble: Trouble }
  | { readonly _tag: "Cleared"; readonly key: string; readonly what: string }

export interface Bulletin {
  /** All of it, for people. */
  readonly text: string
  readonly raised: ReadonlyArray<Trouble>
  readonly cleared: ReadonlyArray<{ readonly key: string; readonly what: string }>
  /** What is wrong now. None: all is well again. */
  readonly open: ReadonlyArray<Trouble>
}

/** More than this is counted, so that a message stays one that a chat takes and a person reads. */
const mostLines = 20

export const bulletinOf = (gateway: string, notices: ReadonlyArray<Notice>, open: ReadonlyArray<Trouble>): Bulletin => {
  const lines = notices.map(lineOf)
  const more = lines.length > mostLines ? [`- and ${lines.length - mostLines} more`] : []
  const text = [gateway, ...lines.slice(0, mostLines), ...more, ...restOf(notices, open)].join("\n")
  const raised = notices.flatMap((notice) => (notice._tag === "Raised" ? [notice.trouble] : []))
  const cleared = notices.flatMap((notice) =>
    notice._tag === "Cleared" ? [{ key: notice.key, what: notice.what }] : []
  )
  return { text, raised, cleared, open }
}

const lineOf = (notice: Notice): string => {
  if (notice._tag === "Cleared") return `- ${notice.what}`
  const { hint, what } = notice.trouble
  return hint === null ? `- ${what}` : `- ${what}; ${hint}`
}

/** What whoever reads the lines alone would not know. */
const restOf = (notices: ReadonlyArray<Notice>, open: ReadonlyArray<Trouble>): ReadonlyArray<string> => {
  if (open.length === 0) return ["All is well again."]
  const told = new Set(notices.map((notice) => (notice._tag === "Raised" ? notice.trouble.key : "")))
  const others = open.filter(({ key }) => !told.has(key))
  if (others.length === 0) return []
  const named = others.slice(0, mostLines).map(({ what }) => what)
  return [`Still so: ${named.join("; ")}`]
}
