/** The lines of a log that is rotated: the last ones, those after a place in it, those to come, and what they say to a person. */
import { Effect, FileSystem, Option, Schema } from "effect"
import { asText } from "../layers/logText.ts"
import { printable } from "./text.ts"

/** More of a file is not looked at for its last lines. */
const mostTailBytes = 4 * 1024 * 1024
/** A line that is longer is cut. */
const pieceBytes = 256 * 1024
const newline = 0x0a

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** 0 where there is no such file. */
export const sizeOf = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  return yield* files.stat(path).pipe(
    Effect.map(({ size }) => Number(size)),
    Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(0))
  )
})

const bytesAt = (path: string, from: number, most: number) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = yield* files.open(path)
    yield* file.seek(BigInt(from), "start")
    return Option.getOrElse(yield* file.readAlloc(most), () => new Uint8Array())
  }).pipe(Effect.scoped)

const lastOfFile = Effect.fnUntraced(function* (path: string, count: number) {
  const size = yield* sizeOf(path)
  if (size === 0) return { lines: [], next: 0 }
  const from = Math.max(0, size - mostTailBytes)
  const bytes = yield* bytesAt(path, from, size - from)
  const lines = decode(bytes).split("\n")
  // The first may have begun before; the last is empty where the text ends as it should.
  const whole = lines.slice(from === 0 ? 0 : 1, lines.at(-1) === "" ? -1 : undefined)
  return { lines: count === 0 ? [] : whole.slice(-count), next: from + bytes.lastIndexOf(newline) + 1 }
})

/** The last lines, oldest first, and the place behind them; also from before the last rotation. */
export const lastOf = Effect.fnUntraced(function* (path: string, count: number) {
  const { lines, next } = yield* lastOfFile(path, count)
  const older = yield* lastOfFile(`${path}.1`, count - lines.length)
  return { lines: [...older.lines, ...lines], next }
})

/** Whole lines from a place in a file on, and the place behind them. */
export const linesFrom = Effect.fnUntraced(function* (path: string, from: number) {
  const bytes = yield* bytesAt(path, from, pieceBytes)
  const whole = bytes.lastIndexOf(newline) + 1
  const end = whole === 0 && bytes.length === pieceBytes ? pieceBytes : whole
  const lines = end === 0 ? [] : decode(bytes.subarray(0, end)).replace(/\n$/, "").split("\n")
  return { lines, next: from + end }
})

const every = "250 millis"

/** Tells every line from a place on as it comes. Never returns. */
export const follow = Effect.fnUntraced(function* (
  path: string,
  from: number,
  tell: (line: string) => Effect.Effect<void>
) {
  const tellFrom = Effect.fnUntraced(function* (file: string, from: number) {
    let place = from
    while (true) {
      const { lines, next } = yield* linesFrom(file, place)
      if (next === place) return place
      yield* Effect.forEach(lines, tell, { discard: true })
      place = next
    }
  })
  let place = from
  while (true) {
    const size = yield* sizeOf(path)
    if (size < place) {
      // It was rotated: what was not read yet is in the copy.
      if ((yield* sizeOf(`${path}.1`)) > place) yield* tellFrom(`${path}.1`, place)
      place = 0
    }
    if (size > place) place = yield* tellFrom(path, place)
    yield* Effect.sleep(every)
  }
})

const Value = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])
/** Whoever else writes there may write anything. */
const Instant = Schema.String.check(Schema.makeFilter((text) => !Number.isNaN(Date.parse(text))))
const Entry = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ time: Instant, level: Schema.String, event: Schema.String }), [
    Schema.Record(Schema.String, Value)
  ])
)

/** A line of the log as its other form has it; none of what something else wrote there. */
const entryOf = Schema.decodeUnknownOption(Entry)

/** What a person reads of it: JSON as key=value, and nothing that could steer the terminal. */
export const readable = (line: string): string =>
  Option.match(entryOf(line), {
    onNone: () => printable(line),
    onSome: ({ event, level, time, ...fields }) =>
      asText({ at: Date.parse(time), level, event, fields: Object.entries(fields) })
  })

/** What a line complains of; none where it does not, or nothing is known of it. */
export const troubleOf = (line: string): Option.Option<string> =>
  Option.match(entryOf(line), {
    onNone: () => (line.trim() === "" ? Option.none() : Option.some(printable(line))),
    onSome: ({ level }) => (["WARN", "ERROR", "FATAL"].includes(level) ? Option.some(readable(line)) : Option.none())
  })
