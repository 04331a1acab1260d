/** `evergate start`, `stop` and `restart`: the gateway in a process of its own. Each returns when it is so, or says why not. */
import { Clock, Console, Duration, Effect, Option, Result } from "effect"
import { Command } from "effect/cli"
import type { Wanted } from "../config/find.ts"
import type { Whereabouts } from "../config/whereabouts.ts"
import { whereabouts } from "../config/whereabouts.ts"
import { Status } from "../http/Status.ts"
import * as Detached from "../layers/detached.ts"
import type { Holder } from "../layers/holder.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import * as LogFiles from "../layers/logFiles.ts"
import * as RunFile from "../layers/RunFile.ts"
import { surroundings } from "../layers/surroundings.ts"
import { ask } from "./client.ts"
import { wanting } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { readFrom, sizeOf } from "./logs.ts"
import { detached } from "./run.ts"
import { counted } from "./text.ts"

const look = Duration.millis(100)
/** A start that takes longer is told as one that is not ready; it goes on. */
const startPatience = Duration.seconds(60)

/** The child is asked what its starter was asked. */
const argumentsOf = ({ config, envFile, logLevel }: Wanted): ReadonlyArray<string> => [
  "run",
  ...(config === undefined ? [] : ["--config", config]),
  ...(envFile === undefined ? [] : ["--env-file", envFile]),
  ...(logLevel === undefined ? [] : ["--log-level", logLevel])
]

/** The address of the gateway with this number, once it listens. */
const urlOf = (home: string, pid: number) =>
  Effect.map(RunFile.read(home), (found) => Option.filter(found, (file) => file.pid === pid))

const start = Effect.fnUntraced(function* (wanted: Wanted): Effect.fn.Return<ExitStatus, StartFailure, StartNeeds> {
  const { home } = yield* whereabouts(wanted, surroundings)
  const holder = yield* HomeLock.holder(home)
  if (Option.isSome(holder)) {
    yield* Console.error(`evergate runs already: process ${holder.value.pid} (${home})`)
    return exitStatus.held
  }
  const { log } = LogFiles.pathsOf(home)
  const before = yield* sizeOf(log)
  const child = yield* Effect.result(Detached.start(home, argumentsOf(wanted), { [detached]: "1" }))
  if (Result.isFailure(child)) {
    yield* Console.error(`it cannot be started: ${child.failure}`)
    return exitStatus.store
  }
  const { ended, pid } = child.success
  const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(startPatience)
  while ((yield* Clock.currentTimeMillis) < until) {
    const status = yield* ended
    if (Option.isSome(status)) {
      yield* Console.error(`evergate did not start; its log says:\n${yield* readFrom(log, before)}`.trimEnd())
      return yield* exitOf(status.value)
    }
    const ready = yield* urlOf(home, pid)
    if (Option.isSome(ready)) {
      yield* Console.log(
        `evergate runs: process ${pid}, ${ready.value.url}; \`evergate logs -f\` follows its log (${log})`
      )
      return exitStatus.done
    }
    yield* Effect.sleep(look)
  }
  yield* Console.error(`evergate runs as process ${pid} and is not ready after 60 s; see ${log}`)
  return exitStatus.failed
})

type StartFailure = Effect.Error<ReturnType<typeof whereabouts>> | HomeLock.HomeUnusable
type StartNeeds = Effect.Services<ReturnType<typeof whereabouts>>

/** The child's own status, which is one of ours. */
const exitOf = (code: number): Effect.Effect<ExitStatus> =>
  Effect.succeed(Object.values(exitStatus).find((status) => status === code) ?? exitStatus.failed)

/** A drain that is over takes a little to let go; a stop that is not over by then hangs. */
const beyondDrain = Duration.seconds(10)
const defaultDrain = Duration.seconds(20)
const reportEvery = 20

/** What a stop waits for, as far as the gateway still says it. */
const awaited = (gateway: Whereabouts) =>
  ask(gateway, "/api/status", Status, { timeoutMillis: 1_000 }).pipe(
    Effect.map(({ outbox, sessions }) => {
      const turns = counted(sessions.active, "turn")
      return `waiting for ${turns} and ${counted(outbox.pending, "message")} to be sent`
    }),
    Effect.orElseSucceed(() => "waiting for it to end")
  )

/** True when it is gone within the time. */
const goneWithin = Effect.fnUntraced(function* (gateway: Whereabouts, holder: Holder, patience: Duration.Duration) {
  const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
  for (let nth = 1; (yield* Clock.currentTimeMillis) < until; nth++) {
    if (yield* Detached.isGone(holder)) return true
    if (nth % reportEvery === 0) yield* Console.log(yield* awaited(gateway))
    yield* Effect.sleep(look)
  }
  return yield* Detached.isGone(holder)
})

/** Whoever holds the home is told to stop, and is gone when this returns. */
const stopIn = Effect.fnUntraced(function* (gateway: Whereabouts): Effect.fn.Return<ExitStatus, HomeLock.HomeUnusable> {
  const found = yield* HomeLock.holder(gateway.home)
  if (Option.isNone(found)) {
    yield* Console.log(`evergate is stopped (${gateway.home})`)
    return exitStatus.done
  }
  const holder = found.value
  const file = Option.filter(yield* RunFile.read(gateway.home), ({ pid }) => pid === holder.pid)
  const drain = Option.match(file, { onNone: () => defaultDrain, onSome: (it) => Duration.millis(it.drainMillis) })
  yield* Detached.signal(holder, "SIGTERM")
  if (yield* goneWithin(gateway, holder, Duration.sum(drain, beyondDrain))) {
    yield* Console.log(`evergate is stopped (it was process ${holder.pid})`)
    return exitStatus.done
  }
  yield* Console.error(
    `process ${holder.pid} did not stop within its drain and 10 s; it is killed. Its store has what it had`
  )
  yield* Detached.signal(holder, "SIGKILL")
  return (yield* goneWithin(gateway, holder, Duration.seconds(5))) ? exitStatus.done : exitStatus.failed
})

const stop = (wanted: Wanted) => Effect.flatMap(whereabouts(wanted, surroundings), stopIn)

const restart = (wanted: Wanted) =>
  Effect.flatMap(stop(wanted), (status) => (status === exitStatus.done ? start(wanted) : Effect.succeed(status)))

export const commands = [
  Command.make("start", {}, () => wanting(start)).pipe(
    Command.withDescription("Start the gateway in a process of its own; returns when it runs")
  ),
  Command.make("stop", {}, () => wanting(stop)).pipe(
    Command.withDescription("Stop the gateway: running turns and the outbox get their drain; returns when it is gone")
  ),
  Command.make("restart", {}, () => wanting(restart)).pipe(Command.withDescription("Stop it, then start it"))
] as const
