/** Cuts a long text where a person would: at a blank line, a line's end, a sentence's end, a space; never inside a character. */

const boundaries = [/\n\n(?=[^\n])/g, /\n/g, /[.!?。！？]\s*/g, /\s/g]

/** Where the last match that fits ends; a cut before half of the limit would leave scraps. */
const lastEnd = (text: string, limit: number, boundary: RegExp): number | undefined =>
  Array.from(text.slice(0, limit).matchAll(boundary), (match) => match.index + match[0].length).findLast(
    (end) => end >= limit / 2
  )

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

const cutOf = (text: string, limit: number): number => {
  for (const boundary of boundaries) {
    const end = lastEnd(text, limit, boundary)
    if (end !== undefined) return end
  }
  // A pair that straddles the limit goes whole into the next piece.
  return isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit
}

/** The pieces, each at most `limit` UTF-16 units long (at least 2), put together again are the text. */
export const split = (text: string, limit: number): ReadonlyArray<string> => {
  const most = Math.max(2, limit)
  const pieces: Array<string> = []
  let rest = text
  while (rest.length > most) {
    const cut = cutOf(rest, most)
    pieces.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return [...pieces, rest]
}
