/**
 * One line an event: its words, then its fields. What came from outside is quoted and its control characters are escaped,
 * so that no text can forge a line or steer a terminal. The watchdog's thread writes by it too: it loads nothing.
 */

export interface LogEntry {
  /** Unix milliseconds. */
  readonly at: number
  /** Upper case. */
  readonly level: string
  readonly event: string
  /** In the order of writing. */
  readonly fields: ReadonlyArray<readonly [key: string, value: string | number | boolean]>
}

/** `2026-11-30T20:00:00.000Z INFO connected platform=feishu`: for people, and for who searches as people do. */
export const asText = ({ at, level, event, fields }: LogEntry): string =>
  [
    new Date(at).toISOString(),
    level,
    escape(event),
    ...fields.map(([key, value]) => `${bare(key)}=${quoted(value)}`)
  ].join(" ")

/** One JSON object; `event` holds the words, so that a field may be called `message`. */
export const asJson = ({ at, level, event, fields }: LogEntry): string => {
  const own = { time: new Date(at).toISOString(), level, event }
  const renamed = fields.map(([key, value]) => [key in own ? `${key}_` : key, value])
  return escape(JSON.stringify({ ...own, ...Object.fromEntries(renamed) }))
}

const bare = (key: string): string => key.replaceAll(/[^\w.-]/g, "_")

const quoted = (value: string | number | boolean): string => {
  const text = String(value)
  return /^[^\s"'=\\\p{C}]+$/u.test(text) ? text : escape(JSON.stringify(text))
}

/** Control and format characters, line separators and halves of pairs, as JSON writes them. */
const escape = (text: string): string =>
  text.replaceAll(/[\p{C}\u2028\u2029]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`
    ).join("")
  )
