/** A thread that sees the event loop stand, from outside of it. The main thread beats; `loopGuardWorker.ts` counts. */
import { Duration, Effect, Schema } from "effect"
import type { Scope } from "effect"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { Guard } from "../actors/Watchdog.ts"

/** What the thread is given. */
export interface LoopGuardData {
  /** One counter. */
  readonly beats: Int32Array<SharedArrayBuffer>
  readonly stallMillis: number
  readonly tickMillis: number
  readonly format: "text" | "json"
  /** A file for warnings and up, beside standard error; null where there is none. */
  readonly errors: string | null
}

export class GuardEnded extends Schema.TaggedError<GuardEnded>()("GuardEnded", { detail: Schema.String }) {
  override get message() {
    return `the watchdog's thread ended: ${this.detail}`
  }
}

const mostTickMillis = 1_000

/** Starts the thread; it ends with the scope. */
export const make = Effect.fnUntraced(function* (options: {
  readonly stall: Duration.Duration
  readonly format: LoopGuardData["format"]
  readonly errors?: string | null
}): Effect.fn.Return<Guard<GuardEnded>, never, Scope.Scope> {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const stallMillis = Duration.toMillis(options.stall)
  const tickMillis = Math.min(mostTickMillis, stallMillis / 4)
  const { errors = null, format } = options
  const data: LoopGuardData = { beats, stallMillis, tickMillis, format, errors }
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const file = new URL(`./loopGuardWorker${extname(import.meta.url)}`, import.meta.url)
      const worker = new Worker(file, { workerData: data, execArgv: [], env: {}, resourceLimits })
      worker.unref()
      return worker
    }),
    (worker) => Effect.promise(() => worker.terminate())
  )
  return {
    every: Duration.millis(tickMillis),
    beat: Effect.sync(() => void Atomics.add(beats, 0, 1)),
    ended: Effect.callback<never, GuardEnded>((resume) => {
      const fail = (detail: string) => resume(Effect.fail(new GuardEnded({ detail })))
      worker.once("error", (error) => fail(String(error)))
      worker.once("exit", (code) => fail(`it exited with ${code}`))
    })
  }
})

/** It counts and, once in its life, writes a stack. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 }
