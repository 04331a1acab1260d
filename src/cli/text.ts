/** Text for a terminal: what comes from elsewhere cannot move the cursor or colour the screen. */

// What turns the direction of writing shows a text as another one.
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const breaks = /[\t\n]/g

const byNumber = (character: string): string => {
  const number = character.charCodeAt(0).toString(16)
  return number.length > 2 ? `\\u${number.padStart(4, "0")}` : `\\x${number.padStart(2, "0")}`
}

export const printable = (text: string): string => text.replaceAll(controls, byNumber)

/** Without a line's end in it either: no text can forge the row after its own. */
const printableCell = (text: string): string => printable(text).replaceAll(breaks, byNumber)

/** A number of things: `1 platform`, `2 platforms`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** The two largest units of a time: `3m 12s`, `2d 0h`. */
export const duration = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"]
  ] as const
  const from = parts.findIndex(([count]) => count > 0)
  return (from === -1 ? parts.slice(-1) : parts.slice(from, from + 2))
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ")
}

/** Columns, each as wide as its widest cell. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const cells = rows.map((row) => row.map(printableCell))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
