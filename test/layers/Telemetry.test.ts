/** The log: how a line reads, what no line shows, and that no reader can stop the gateway. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { LogStream, TelemetryOptions } from "../../src/layers/Telemetry.ts"
import * as Telemetry from "../../src/layers/Telemetry.ts"

interface FakeStream extends LogStream {
  isTTY: boolean
  writable: boolean
  writableLength: number
  readonly lines: Array<string>
  readonly fail: () => void
}

const fakeStream = (): FakeStream => {
  const listeners: Array<() => void> = []
  const lines: Array<string> = []
  return {
    isTTY: true,
    writable: true,
    writableLength: 0,
    lines,
    write: (text) => lines.push(text),
    on: (_, listener) => listeners.push(listener),
    listeners: () => listeners,
    // As a stream does: an error that nobody listens to is thrown.
    fail: () => {
      if (listeners.length === 0) throw new Error("EPIPE")
      listeners.forEach((listener) => listener())
    }
  }
}

const logging = ({ isTTY = true, ...options }: Partial<TelemetryOptions> & { readonly isTTY?: boolean } = {}) => {
  const stream = { ...fakeStream(), isTTY }
  const layer = Telemetry.layer({ level: "info", format: "auto", secrets: [], stream, ...options })
  return { stream, lines: stream.lines, log: <A, E>(effect: Effect.Effect<A, E>) => Effect.provide(effect, layer) }
}

const annotated = (event: string, fields: Record<string, unknown>) => Effect.annotateLogs(Effect.logInfo(event), fields)

const stamp = "1970-01-01T00:00:00.000Z"

describe("a line", () => {
  it.effect("is time, level, event and key=value on a terminal", () =>
    Effect.gen(function* () {
      const { lines, log } = logging()

      yield* log(annotated("connected", { platform: "feishu", host: "msg-frontier.feishu.cn" }))
      yield* log(annotated("alive", { platforms: "2/2", inbox: 0, note: "two words", gone: undefined }))

      expect(lines).toEqual([
        `${stamp} INFO connected platform=feishu host=msg-frontier.feishu.cn\n`,
        `${stamp} INFO alive platforms=2/2 inbox=0 note="two words"\n`
      ])
    })
  )

  it.effect("is one JSON object where nobody looks, and fields keep their names", () =>
    Effect.gen(function* () {
      const { lines, log } = logging({ isTTY: false })

      yield* log(Effect.annotateLogs(Effect.logWarning("disconnected"), { kind: "Dns", message: "no name", time: 1 }))

      expect(JSON.parse(lines[0] ?? "")).toEqual({
        time: stamp,
        level: "WARN",
        event: "disconnected",
        kind: "Dns",
        message: "no name",
        time_: 1
      })
    })
  )

  it.effect("is written from its level on, and by the format that was asked for", () =>
    Effect.gen(function* () {
      const { lines, log } = logging({ level: "warn", format: "json" })

      yield* log(Effect.andThen(Effect.logInfo("quiet"), Effect.logError("loud", new Error("why"))))

      expect(lines).toHaveLength(1)
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "ERROR", event: expect.stringContaining("why") })
    })
  )

  it.effect.each(["text", "json"] as const)("cannot be forged by hostile text (%s)", (format) =>
    Effect.gen(function* () {
      const { lines, log } = logging({ format })
      const hostile = "hi\n2026-01-01T00:00:00.000Z ERROR forged=yes\r\u001b[2J\u2028\u202e\u0085\ud800"

      yield* log(annotated(`a ${hostile}`, { text: hostile, [`key ${hostile}`]: 1 }))

      const [line = ""] = lines
      expect(lines).toHaveLength(1)
      expect(line.indexOf("\n")).toBe(line.length - 1)
      expect(line.slice(0, -1)).not.toMatch(/[\p{C}\u2028\u2029]/u)
      expect(line).not.toMatch(/^\S+ ERROR/)
    })
  )

  it.effect("F210: shows no secret, wherever it turns up and however it is written", () =>
    Effect.gen(function* () {
      const secrets = [
        Redacted.make("s3cret/value"),
        Redacted.make('quo"ted-secret'),
        Redacted.make("s3cret/value-longer")
      ]
      const { lines, log } = logging({ secrets })

      yield* log(
        annotated("calling https://host/bots3cret/value/send", {
          url: "https://host/?k=s3cret%2Fvalue",
          same: secrets[0]
        })
      )
      yield* log(annotated("said", { body: { text: 'quo"ted-secret', more: "s3cret/value-longer" } }))
      yield* log(Effect.logError("failed", new Error("token s3cret/value was refused")))

      expect(lines).toHaveLength(3)
      expect(lines.join("")).not.toMatch(/s3cret|ted-secret|longer/)
      expect(lines.join("").match(/<redacted>/g)).toHaveLength(6)
    })
  )
})

describe("repeats", () => {
  it.effect("F225: the same line comes at most once in 10 s, then with how often it was repeated", () =>
    Effect.gen(function* () {
      const { lines, log } = logging()

      yield* log(
        Effect.gen(function* () {
          for (let i = 0; i < 250; i++) {
            yield* Effect.logWarning("the disk is full")
            yield* TestClock.adjust("100 millis")
          }
        })
      )

      expect(lines).toEqual([
        "1970-01-01T00:00:00.000Z WARN the disk is full\n",
        "1970-01-01T00:00:10.000Z WARN the disk is full repeated=99\n",
        "1970-01-01T00:00:20.000Z WARN the disk is full repeated=100\n",
        "1970-01-01T00:00:25.000Z WARN the disk is full repeated=50\n"
      ])
    })
  )

  it.effect("what is held is told at the first other line after its time, and at the end at the latest", () =>
    Effect.gen(function* () {
      const { lines, log } = logging()

      yield* log(
        Effect.gen(function* () {
          yield* Effect.logInfo("one")
          yield* Effect.logInfo("one")
          yield* TestClock.adjust("11 seconds")
          yield* Effect.logInfo("two")
          yield* Effect.logInfo("two")
        })
      )

      expect(lines.map((line) => line.slice(stamp.length + 1, -1))).toEqual([
        "INFO one",
        "INFO one repeated=1",
        "INFO two",
        "INFO two repeated=1"
      ])
    })
  )

  it.effect("a link's life is always shown, and lines that differ are none of each other's repeats", () =>
    Effect.gen(function* () {
      const { lines, log } = logging()
      const life = ["connecting", "connected", "disconnected", "reconnecting", "stopped"]

      yield* log(Effect.forEach([...life, ...life], (event) => annotated(event, { platform: "feishu" })))
      yield* log(Effect.forEach([1, 2, 3], (job) => annotated("cron fired", { job })))

      expect(lines).toHaveLength(13)
    })
  )

  it.effect("a thousand different lines are all written, and memory stays bounded", () =>
    Effect.gen(function* () {
      const { lines, log } = logging()

      yield* log(
        Effect.forEach(
          Array.from({ length: 1_000 }, (_, n) => n),
          (n) => annotated("line", { n }),
          { discard: true }
        )
      )

      expect(lines).toHaveLength(1_000)
    })
  )
})

describe("the reader", () => {
  it.effect("a closed pipe is no crash, also after the log has ended", () =>
    Effect.gen(function* () {
      const { log, stream } = logging()

      yield* log(Effect.logInfo("one"))
      stream.fail()
      stream.writable = false
      yield* log(Effect.logInfo("two"))
      stream.fail()

      expect(stream.lines).toHaveLength(1)
    })
  )

  it.effect("one that does not read costs lines, and is told how many when it reads again", () =>
    Effect.gen(function* () {
      const { lines, log, stream } = logging()

      yield* log(
        Effect.gen(function* () {
          yield* Effect.logInfo("one")
          stream.writableLength = 2 * 1024 * 1024
          yield* Effect.logInfo("two")
          yield* Effect.logInfo("three")
          stream.writableLength = 0
          yield* Effect.logInfo("four")
        })
      )

      expect(lines.map((line) => line.slice(stamp.length + 1, -1))).toEqual([
        "INFO one",
        "WARN log lines dropped lines=2",
        "INFO four"
      ])
    })
  )
})
