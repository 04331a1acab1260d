/** The name of a message's trace, made of the id of its turn or delivery: the same before and after a restart, and kept nowhere. */
import { Hash } from "effect"

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const ulid = /^[td]_([0-7][0-9A-HJKMNP-TV-Z]{25})/

/** 32 hexadecimal digits. A ULID is 128 bits, as is a trace's id; what holds none is hashed. */
export const traceIdOf = (id: string): string => {
  const text = ulid.exec(id)?.[1]
  return text === undefined ? hashed(id) : hexadecimal(text)
}

/** Of the span that all others of the trace hang on: its second half, which is chance. */
export const rootSpanIdOf = (traceId: string): string => traceId.slice(16)

const hexadecimal = (text: string): string =>
  Array.from(text)
    .reduce((value, digit) => value * 32n + BigInt(digits.indexOf(digit)), 0n)
    .toString(16)
    .padStart(32, "0")

const hashed = (id: string): string =>
  [0, 1, 2, 3].map((salt) => (Hash.string(`${salt}${id}`) >>> 0).toString(16).padStart(8, "0")).join("")
