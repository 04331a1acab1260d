/** `evergate logs`: the log of a gateway that was started by `evergate start`, also across its files, for a person to read. */
import { Console, Effect, FileSystem, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { Whereabouts } from "../config/whereabouts.ts"
import * as LogFiles from "../layers/logFiles.ts"
import { onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { printable } from "./text.ts"

/** What is read of a log at most: the end of it. */
const mostBytes = 4 * 1024 * 1024
const lookEvery = "250 millis"

/** 0 where there is none yet. */
export const sizeOf = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    files.stat(path).pipe(
      Effect.map(({ size }) => Number(size)),
      Effect.orElseSucceed(() => 0)
    )
  )

/** From there to its end, without anything that would steer a terminal; empty where it cannot be read. */
export const readFrom = (path: string, offset: number) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const size = yield* sizeOf(path)
    const from = Math.max(offset, size - mostBytes)
    const text = yield* files.stream(path, { offset: BigInt(from) }).pipe(
      Stream.decodeText,
      Stream.mkString,
      Effect.orElseSucceed(() => "")
    )
    return text.split("\n").map(printable).join("\n")
  })

const logs = Effect.fnUntraced(function* ({ home }: Whereabouts, lines: number, follow: boolean) {
  const { log } = LogFiles.pathsOf(home)
  const size = yield* sizeOf(log)
  if (size === 0 && !follow) {
    yield* Console.error(`there is no log at ${log}: \`evergate start\` writes it, \`evergate run\` to standard output`)
    return exitStatus.failed
  }
  const last = (yield* readFrom(log, 0)).split("\n").slice(-lines - 1)
  yield* Console.log(last.join("\n").trimEnd())
  return follow ? yield* following(log, size) : exitStatus.done
})

/** Prints what is added, until the command is ended from outside. */
const following = Effect.fnUntraced(function* (log: string, from: number) {
  let seen = from
  return yield* Effect.forever(
    Effect.gen(function* () {
      yield* Effect.sleep(lookEvery)
      const size = yield* sizeOf(log)
      // Begun again: what it holds now is all new.
      if (size < seen) seen = 0
      if (size === seen) return
      yield* Console.log((yield* readFrom(log, seen)).trimEnd())
      seen = size
    })
  )
})

const lines = Flag.Int("lines").pipe(
  Flag.withAlias("n"),
  Flag.withDescription("How many of the last lines"),
  Flag.optional
)
const follow = Flag.Boolean("follow").pipe(
  Flag.withAlias("f"),
  Flag.withDescription("Go on with what is written from now on"),
  Flag.withDefault(false)
)

export const command = Command.make("logs", { follow, lines }, ({ follow, lines }) =>
  onGateway((gateway) =>
    logs(
      gateway,
      Option.getOrElse(lines, () => 100),
      follow
    )
  )
).pipe(Command.withDescription("The last lines of the log, and with -f what is written from now on"))
