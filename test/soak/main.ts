/**
 * The soak: the built service with three accounts, one of them behind a proxy, in a storm of faults and messages. Every minute
 * the storm rests and what the process holds is counted: after the warm-up it must not grow. Ends with 1 where it does.
 *
 *   npm run soak [-- --minutes 30]
 */
import { Duration, Effect, Fiber } from "effect"
import type { ChildProcess } from "node:child_process"
import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as Chaos from "../../src/testing/chaos.ts"
import { connectProxy } from "../../src/testing/Peer.ts"
import { ask } from "../asking.ts"
import { environment, place, program, until } from "../service.ts"

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } })
const minutes = Number(values.minutes)
const warmUp = Math.min(5, minutes / 4)

const most = { heapBytesIn10Minutes: 1024 * 1024, descriptors: 5 }
/** What the storm left behind is over by then: redeliveries, idle connections, drained sockets. */
const rest = Duration.seconds(20)
const round = Duration.seconds(40)

interface Sample {
  readonly minute: number
  readonly heap: number
  readonly descriptors: number
  readonly sockets: number
  readonly fibers: number
}

const options: Chaos.ChaosOptions = {
  ...Chaos.calm,
  accounts: ["one", "two", "three"],
  peace: Duration.seconds(4),
  hold: Duration.seconds(5),
  pause: Duration.millis(200)
}

const fibersOf = (metrics: string) => Number(/^evergate_fibers(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1] ?? Number.NaN)

const sampleOf = Effect.fnUntraced(function* (child: ChildProcess, url: string, minute: number) {
  const told = yield* Effect.promise(() => {
    const answer = once(child, "message")
    child.send("census")
    return answer
  })
  // What `census.mjs` sends.
  const [held] = told as [Omit<Sample, "minute" | "fibers">]
  const { text } = yield* ask(`${url}/metrics`)
  const sample: Sample = { minute, ...held, fibers: fibersOf(text) }
  console.log(
    `${minute.toFixed(1).padStart(5)} min  heap ${(sample.heap / 1024 / 1024).toFixed(2)} MiB  descriptors ${sample.descriptors}  sockets ${sample.sockets}  fibers ${sample.fibers}`
  )
  return sample
})

const median = (numbers: ReadonlyArray<number>) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** What grew, in words; empty where nothing did. */
const faultsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const warm = samples.filter(({ minute }) => minute >= warmUp)
  const [first, last] = [warm.slice(0, 3), warm.slice(-3)]
  const of = (some: ReadonlyArray<Sample>, key: keyof Sample) => median(some.map((sample) => sample[key]))
  const span = of(last, "minute") - of(first, "minute")
  if (warm.length < 4 || span <= 0) return ["too short a run to tell anything"]
  const growth = ((of(last, "heap") - of(first, "heap")) / span) * 10
  console.log(`heap grows by ${(growth / 1024).toFixed(0)} KiB in 10 minutes`)
  // What was not counted is no number, and has not held either.
  const differ = (key: "descriptors" | "sockets" | "fibers", by: number) =>
    Math.abs(of(last, key) - of(first, key)) <= by ? [] : [`${key}: ${of(first, key)} → ${of(last, key)}`]
  return [
    ...(!(growth <= most.heapBytesIn10Minutes) ? [`heap: ${(growth / 1024).toFixed(0)} KiB in 10 minutes`] : []),
    ...differ("descriptors", most.descriptors),
    ...differ("sockets", 0),
    ...differ("fibers", 0)
  ]
}

/** Empty while it does not listen. */
const addressIn = (home: string): string => {
  try {
    return (JSON.parse(readFileSync(join(home, "gateway.json"), "utf8")) as { readonly url: string }).url
  } catch {
    return ""
  }
}

const soak = Effect.gen(function* () {
  const chaos = yield* Chaos.make(options)
  const [behind] = chaos.platforms
  const proxy = yield* connectProxy(() => Number(new URL(String(behind?.["domain"])).port))
  const [first, ...others] = chaos.platforms
  const here = yield* place({
    platforms: [{ ...first, proxy: `http://127.0.0.1:${proxy.port}` }, ...others],
    watchdog: { stall: "30s" }
  })
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(fileURLToPath(program), ["run", "--config", here.config, "--log-level", "error"], {
        cwd: here.folder,
        // It stops when this process is gone.
        env: environment(here.folder, { EVERGATE_HANDED_OVER: "1" }),
        execArgv: ["--expose-gc", `--import=${new URL("census.mjs", import.meta.url).href}`],
        stdio: ["ignore", "ignore", "inherit", "ipc"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const url = yield* until(
    Effect.sync(() => addressIn(here.home)),
    (found) => found !== ""
  )
  const samples: Array<Sample> = []
  const began = performance.now()
  const minute = () => (performance.now() - began) / 60_000
  while (minute() < minutes) {
    const storm = yield* Effect.forkChild(chaos.storm)
    yield* Effect.sleep(round)
    yield* Fiber.interrupt(storm)
    yield* Effect.sleep(rest)
    samples.push(yield* sampleOf(child, url, minute()))
  }
  const { answered, faults: done, lost, sent, twice, waiting } = yield* chaos.ledger
  console.log(
    `sent ${sent}, answered ${answered}, waiting ${waiting}, lost ${lost}, twice ${twice}; the last faults: ${done.length}`
  )
  return [...faultsOf(samples), ...(lost + twice > 0 ? [`lost ${lost}, answered twice ${twice}`] : [])]
})

const faults = await Effect.runPromise(Effect.scoped(soak))
for (const fault of faults) console.log(`FELL SHORT  ${fault}`)
console.log(faults.length === 0 ? "held" : "did not hold")
process.exit(faults.length === 0 ? 0 : 1)
