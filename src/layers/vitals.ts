/** Node's word on the process: how late its event loop is, its memory, and the fibers that its runtime counts. */
import { Effect, Layer, Metric } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import type { VitalSigns } from "../actors/Vitals.ts"
import { Vitals } from "../actors/Vitals.ts"

const resolutionMillis = 20
const windowMillis = 10_000
/** Windows whose worst is remembered: five minutes. */
const windowsKept = 30

/** How late the loop was. Whoever reads turns the window over when it is full; nothing runs for it meanwhile. */
const loopDelay = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: resolutionMillis })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => void histogram.disable())
  ),
  (histogram) => {
    let since = performance.now()
    let last = 0
    let worst: ReadonlyArray<number> = []
    /** A timer of the resolution is always that late; of an empty window the histogram says nonsense. */
    const late = (nanos: number) =>
      histogram.count === 0 || !Number.isFinite(nanos) ? 0 : Math.max(0, nanos / 1e6 - resolutionMillis)
    return () => {
      const now = { typical: late(histogram.percentile(99)), most: late(histogram.max) }
      if (performance.now() - since >= windowMillis) {
        since = performance.now()
        last = now.typical
        worst = [...worst, now.most].slice(-windowsKept)
        histogram.reset()
      }
      return { loopDelayMillis: last, loopDelayMostMillis: Math.max(now.most, ...worst) }
    }
  }
)

/** Of the fibers that are started above this layer. */
const makeFiberCount = () => {
  let living = 0
  const count: Metric.FiberRuntimeMetricsService = {
    recordFiberStart: () => void living++,
    recordFiberEnd: () => void living--
  }
  return { count, living: () => living }
}

/** For everything above it. */
export const layer: Layer.Layer<never> = Layer.unwrap(
  Effect.map(loopDelay, (delays) => {
    const fibers = makeFiberCount()
    const read = Effect.sync((): VitalSigns => {
      const { heap_size_limit, used_heap_size } = getHeapStatistics()
      const { system, user } = process.cpuUsage()
      return {
        ...delays(),
        fibers: fibers.living(),
        heapUsedBytes: used_heap_size,
        heapLimitBytes: heap_size_limit,
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6
      }
    })
    return Layer.merge(Layer.succeed(Vitals, { read }), Layer.succeed(Metric.FiberRuntimeMetrics, fibers.count))
  })
)
