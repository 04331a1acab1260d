/**
 * The watchdog's own thread. It counts its own ticks, so that a slept machine or a stopped process is no stall, and looks
 * whether the main thread beats meanwhile. Where it does not, what runs there is written down and the process ends: with 70
 * where JavaScript can be paused, by SIGKILL where native code holds it.
 */
import { appendFileSync, writeSync } from "node:fs"
import type { Debugger } from "node:inspector"
import { Session } from "node:inspector"
import { workerData } from "node:worker_threads"
import type { LoopGuardData } from "./loopGuard.ts"
import { asJson, asText } from "./logText.ts"

// Handed over by `loopGuard.ts`, which is typed by the same interface.
const { beats, stallMillis, tickMillis, format, errors } = workerData as LoopGuardData

/** Native code that does not let the debugger in by then is not waited for. */
const pauseMillis = 3_000
const defect = 70

const beat = () => Atomics.load(beats, 0)

/** A thread's own streams go through the main thread, which stands. */
const write = (event: string, fields: ReadonlyArray<readonly [string, string | number]>) => {
  const entry = { at: Date.now(), level: "FATAL", event, fields }
  const line = `${format === "json" ? asJson(entry) : asText(entry)}\n`
  for (const place of errors === null ? [2] : [2, errors]) {
    try {
      if (place === 2) writeSync(place, line)
      else appendFileSync(place, line)
    } catch {
      // Nobody reads, or the disk is full. What follows does not depend on it.
    }
  }
}

const watch = (): void => {
  let seen = beat()
  let silentMillis = 0
  const timer = setInterval(() => {
    const now = beat()
    silentMillis = now === seen ? silentMillis + tickMillis : 0
    seen = now
    if (silentMillis < stallMillis) return
    clearInterval(timer)
    accuse(seen, silentMillis)
  }, tickMillis)
}

const accuse = (seen: number, silentMillis: number): void => {
  const session = new Session()
  const recovered = () => beat() !== seen
  const goOn = () => {
    session.disconnect()
    watch()
  }
  const kill = setTimeout(() => {
    if (recovered()) return goOn()
    write("the event loop stands", [
      ["silentMs", silentMillis],
      ["stack", "none: native code holds it"],
      ["hint", "the process is killed"]
    ])
    process.kill(process.pid, "SIGKILL")
  }, pauseMillis)
  session.on("Debugger.paused", ({ params: { callFrames } }) => {
    if (recovered()) {
      clearTimeout(kill)
      return goOn()
    }
    write("the event loop stands", [
      ["silentMs", silentMillis],
      ["stack", callFrames.map(described).join("\n")]
    ])
    const [top] = callFrames
    // The timer stays: should the exit not come, the kill does.
    if (top !== undefined) {
      session.post("Debugger.evaluateOnCallFrame", {
        callFrameId: top.callFrameId,
        // The frame may have a `process` of its own.
        expression: `globalThis.process.reallyExit(${defect})`
      })
    }
  })
  session.connectToMainThread()
  session.post("Debugger.enable")
  session.post("Debugger.pause")
}

const described = ({ functionName, location, url }: Debugger.CallFrame): string =>
  `    at ${functionName || "(anonymous)"} (${url}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1})`

watch()
