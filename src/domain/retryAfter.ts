/** `Retry-After`: how long whoever refuses asks to be left alone; by the header's two forms, seconds or a date. */
export const retryAfter = (header: string | undefined, nowMillis: number): number | undefined => {
  if (header === undefined || header.trim() === "") return undefined
  const seconds = Number(header)
  const millis = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMillis
  return Number.isFinite(millis) && millis > 0 ? Math.min(millis, longest) : undefined
}

/** What a platform cannot mean: a longer wait would be deafness. */
const longest = 3_600_000
