/** The fillers of templates and the samples of documentation: they are there, and yet nothing was said. */

/** Counts as missing: "your-token-here", "xoxb-...", "<secret>", "changeme", a `${VAR}` that nothing replaced. */
export const isPlaceholder = (text: string): boolean => {
  const word = text.trim()
  return (
    word === "" ||
    /\$\{|\.\.\.|…/.test(word) ||
    /^(<.*>|\[.*\]|\{.*\}|\*{3,}|(change|replace)[-_ ]?(me|this)|to-?do|placeholder|example)$/i.test(word) ||
    /^(\w+[-_])?(your|my)[-_ ]|[-_ ](goes[-_ ])?here$/i.test(word) ||
    /(^|[-_])x{3,}($|[-_])|x{6,}/i.test(word)
  )
}

/** How people count when they make up an id. */
const ramps = ["a1b2c3d4e5f6a7b8", "a1b2c3d4e5f6g7h8i9j0", "1234567890abcdef", "abcdefghijklmnopqrst"]
/** A short id has to be a ramp from end to end; of a long one this much of it is no accident. */
const telling = 8

/** An app's id out of an example: `cli_a1b2`, `cli_a1b2c3d4e5f60718`, `cli_123456`. */
export const isSample = (appId: string): boolean => {
  const id = appId.slice(appId.indexOf("_") + 1).toLowerCase()
  return ramps.some((ramp) => (id.length >= 4 && ramp.startsWith(id)) || id.startsWith(ramp.slice(0, telling)))
}
