/** Text for a terminal: what comes from elsewhere cannot move the cursor or colour the screen. */

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

export const printable = (text: string): string =>
  text.replaceAll(controls, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)

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
  const cells = rows.map((row) => row.map(printable))
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
