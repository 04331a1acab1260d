/**
 * The log of the service: key=value on a terminal, JSON otherwise, on standard output, where service managers and
 * containers look for it. A reader that is gone or slow costs lines, never the gateway.
 */
import type { Redacted } from "effect"
import { Clock, Effect, Layer, Logger, LogLevel, References } from "effect"
import type { LogEntry } from "./logText.ts"
import * as LogFiles from "./logFiles.ts"
import { entryOf, maskOf } from "./logLine.ts"
import { asJson, asText } from "./logText.ts"
import { makeRepeats } from "./repeats.ts"

export type Level = "trace" | "debug" | "info" | "warn" | "error"

export interface TelemetryOptions {
  /** The least that is written. What gives it is asked for each line, so that it may change. */
  readonly level: Level | (() => Level)
  /** `auto`: by whether a person looks. */
  readonly format: "auto" | "text" | "json"
  /** Masked wherever they turn up. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Standard output if absent. */
  readonly stream?: LogStream
  /** The home, where the log goes into files in place of a stream. */
  readonly filesOf?: string
}

/** What the log needs of a Node stream. */
export interface LogStream {
  readonly isTTY?: boolean
  readonly writable: boolean
  /** Bytes that wait for the reader. */
  readonly writableLength: number
  readonly write: (text: string) => unknown
  readonly on: (event: "error", listener: () => void) => unknown
  readonly listeners: (event: "error") => ReadonlyArray<unknown>
}

const levels: Readonly<Record<Level, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

export const layer = (options: TelemetryOptions): Layer.Layer<never> =>
  Layer.merge(
    Logger.layer([makeLogger(options)]),
    Layer.succeed(References.MinimumLogLevel, typeof options.level === "string" ? levels[options.level] : "All")
  )

/** Whether a person looks, or wants it so. */
export const isText = (format: TelemetryOptions["format"], stream: { readonly isTTY?: boolean } = process.stdout) =>
  format === "text" || (format === "auto" && stream.isTTY === true)

const makeLogger = Effect.fnUntraced(function* (options: TelemetryOptions) {
  const write = options.filesOf === undefined ? toStream(options) : toFiles(options.filesOf, options)
  const mask = maskOf(options.secrets)
  const repeats = makeRepeats()
  const { level } = options
  const least = typeof level === "string" ? () => levels[level] : () => levels[level()]
  yield* Effect.addFinalizer(() => Effect.map(Clock.currentTimeMillis, (now) => repeats.rest(now).forEach(write)))

  return Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    if (LogLevel.isLessThan(logLevel, least())) return
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    repeats.take(entryOf({ at: date.getTime(), level: logLevel, message, annotations, cause }, mask)).forEach(write)
  })
})

const toStream = ({ format, stream = process.stdout }: TelemetryOptions) =>
  makeWrite(stream, isText(format, stream) ? asText : asJson)

const isTrouble = new Set(["WARN", "ERROR", "FATAL"])

/** Lines that a full disk did not take are counted, and the count is told once it takes some again. */
const toFiles = (home: string, { format }: TelemetryOptions) => {
  const paths = LogFiles.pathsOf(home)
  const [log, errors] = [LogFiles.make(paths.log), LogFiles.make(paths.errors)]
  const textOf = isText(format, {}) ? asText : asJson
  let dropped = 0
  return (entry: LogEntry): void => {
    const text = `${textOf(entry)}\n`
    if (isTrouble.has(entry.level)) errors.write(text)
    if (!log.write(text)) {
      dropped++
    } else if (dropped > 0) {
      const fields = [["lines", dropped]] as const
      dropped = 0
      log.write(`${textOf({ at: entry.at, level: "WARN", event: "log lines dropped", fields })}\n`)
    }
  }
}

/** Past this a reader does not read: lines are dropped, counted, and the count is told once it reads again. */
const mostWaitingBytes = 1024 * 1024

/**
 * A closed pipe is an event of the stream, and would end the process if nobody listened. It may come after the last line,
 * so that the listener stays as long as the stream does.
 */
const pipeClosed = () => {}

const makeWrite = (stream: LogStream, format: (entry: LogEntry) => string) => {
  if (!stream.listeners("error").includes(pipeClosed)) stream.on("error", pipeClosed)
  let dropped = 0
  return (entry: LogEntry): void => {
    if (!stream.writable || stream.writableLength > mostWaitingBytes) {
      dropped++
      return
    }
    if (dropped > 0) {
      const fields = [["lines", dropped]] as const
      dropped = 0
      stream.write(`${format({ at: entry.at, level: "WARN", event: "log lines dropped", fields })}\n`)
    }
    stream.write(`${format(entry)}\n`)
  }
}
