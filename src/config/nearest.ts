/** The word that was probably meant. */

/** The nearest of the known words, null when none is near: at most a third of its letters may differ. */
export const nearest = (word: string, known: ReadonlyArray<string>): string | null => {
  const ranked = known.map((candidate) => ({
    candidate,
    distance: distance(word.toLowerCase(), candidate.toLowerCase())
  }))
  const best = ranked.toSorted((a, b) => a.distance - b.distance)[0]
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3))
    ? best.candidate
    : null
}

/** How many letters have to be put in, left out, replaced or swapped to come from one word to the other. */
const distance = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, swapped ? at(i - 2, j - 2) + 1 : replaced))
    }
  }
  return at(from.length, to.length)
}
