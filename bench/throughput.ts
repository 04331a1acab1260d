/** Events a second, accepted and answered, and the latency of an acknowledgement at a steady load: each beside the bare loop. */
import { join } from "node:path"
import { heapOf, median, report, start, withFar, withFolder } from "./processes.ts"
import type { Load } from "./far.ts"

const rounds = 3
const accept: Load = { events: 20_000, window: 1_000, rate: 0, chats: 20, replies: 0 }
const reply: Load = { events: 5_000, window: 1_000, rate: 0, chats: 20, replies: 5_000 }
const steady: Load = { events: 5_000, window: 1_000, rate: 1_000, chats: 20, replies: 0 }
const lone: Load = { events: 100, window: 1, rate: 20, chats: 20, replies: 0 }

const bare = (mode: string, load: Load) =>
  withFar(
    (base) => start("bare.ts", [base, mode]),
    async ({ measure }) => {
      await measure({ ...load, events: 1_000, rate: 0, replies: load.replies > 0 ? 1_000 : 0 })
      return measure(load)
    }
  )

const gateway = (mode: string, load: Load) =>
  withFolder((folder) =>
    withFar(
      (base) => start("gateway.ts", [base, mode, join(folder, "bench.db")]),
      async ({ measure }, child) => {
        await measure({ ...load, events: 1_000, rate: 0, replies: load.replies > 0 ? 1_000 : 0 })
        const before = await heapOf(child)
        const measured = await measure(load)
        const after = await heapOf(child)
        return { ...measured, before, after }
      }
    )
  )

const both = async (bareMode: string, mode: string, load: Load) => {
  const ceilings = []
  const ours = []
  for (let round = 0; round < rounds; round++) {
    ceilings.push(await bare(bareMode, load))
    ours.push(await gateway(mode, load))
  }
  return { ceilings, ours }
}

const rates = (all: ReadonlyArray<{ readonly perSecond: number }>) => median(all.map(({ perSecond }) => perSecond))

{
  const { ceilings, ours } = await both("ack", "hold", accept)
  report("accept only, sessions held", rates(ours), rates(ceilings), "events/s", "at least 0.3, aim 0.4")
  console.log(`  heap ${ours.map(({ before, after }) => `${before.toFixed(1)} → ${after.toFixed(1)}`).join(", ")} MiB`)
}
{
  const { ceilings, ours } = await both("post", "echo", reply)
  report("event → reply sent", rates(ours), rates(ceilings), "events/s", "at least 0.3")
  console.log(`  heap ${ours.map(({ before, after }) => `${before.toFixed(1)} → ${after.toFixed(1)}`).join(", ")} MiB`)
}
{
  const { ceilings, ours } = await both("ack", "hold", steady)
  const p99 = (all: ReadonlyArray<{ readonly p99: number }>) => median(all.map((one) => one.p99))
  report("event → ack, p99 at 1,000 events/s", p99(ours), p99(ceilings), "ms", "at most 10 ms")
}
{
  const { ceilings, ours } = await both("ack", "hold", lone)
  const p50 = (all: ReadonlyArray<{ readonly p50: number }>) => median(all.map((one) => one.p50))
  report("event → ack, a lone event", p50(ours), p50(ceilings), "ms", "no timer in it")
}
