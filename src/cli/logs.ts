/** `evergate logs`: the last lines of the log that a started gateway writes, and with `-f` those to come. */
import { Console, Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import type { Whereabouts } from "../config/whereabouts.ts"
import { pathsOf } from "../layers/logFiles.ts"
import { isTerminal, readerGone } from "../layers/terminal.ts"
import { onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { follow, lastOf, readable } from "./logLines.ts"
import { printable } from "./text.ts"

const logs = Effect.fnUntraced(function* ({ home }: Whereabouts, count: number, follows: boolean) {
  const path = pathsOf(home).log
  const files = yield* FileSystem.FileSystem
  if (!follows && !(yield* files.exists(path))) {
    yield* Console.error(`no log at ${path}; \`evergate start\` writes one, \`evergate run\` writes to where it runs`)
    return exitStatus.failed
  }
  const show = (yield* isTerminal) ? readable : printable
  const tell = (line: string) => Console.log(show(line))
  const { lines, next } = yield* lastOf(path, count)
  yield* Effect.forEach(lines, tell, { discard: true })
  if (follows) yield* Effect.raceFirst(follow(path, next, tell), readerGone)
  return exitStatus.done
})

const mostLines = 10_000

const count = Flag.Int("lines").pipe(
  Flag.withAlias("n"),
  Flag.withDescription("How many of the last lines"),
  Flag.filter(
    (count) => count >= 0 && count <= mostLines,
    () => `expected 0 to ${mostLines}`
  ),
  Flag.withDefault(100)
)
const followFlag = Flag.Boolean("follow").pipe(
  Flag.withAlias("f"),
  Flag.withDescription("Go on with the lines to come"),
  Flag.withDefault(false)
)

export const command = Command.make("logs", { count, follow: followFlag }, ({ count, follow }) =>
  onGateway((gateway) => logs(gateway, count, follow))
).pipe(Command.withDescription("The last lines of the log of a gateway that `start` started"))
