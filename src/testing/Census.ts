/** Counts the fibers that live: what a scope leaves behind shows here. */
import { Effect, Layer, Metric } from "effect"

export interface Census {
  /** Provide it to what is to be counted. */
  readonly layer: Layer.Layer<never>
  readonly alive: Effect.Effect<number>
}

export const make: Effect.Effect<Census> = Effect.sync(() => {
  let alive = 0
  return {
    layer: Layer.succeed(Metric.FiberRuntimeMetrics, {
      recordFiberStart: () => void alive++,
      recordFiberEnd: () => void alive--
    }),
    alive: Effect.sync(() => alive)
  }
})
