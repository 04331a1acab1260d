/** `evergate top`: the supervision tree as text; on a terminal, and with `-f`, again every second. */
import { Console, Duration, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { TreePart } from "../http/Tree.ts"
import { isTerminal, readerGone } from "../layers/terminal.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { duration, table } from "./text.ts"

const every = Duration.seconds(1)
const heading = ["PART", "STATE", "UP", "RESTARTS", "PROGRESS", "AT WORK", "WAITING"]
/** Home, and nothing left of what was there before. */
const clear = "\u001b[H\u001b[J"

const ago = (millis: number | null): string => (millis === null ? "" : `${duration(millis)} ago`)

const waitingOf = ({ waiting }: TreePart): string =>
  waiting === null ? "" : `turns ${waiting.turns}, outbox ${waiting.outbox}`

/** A part and what is under it, each level further to the right. */
const rowsOf = (part: TreePart, depth: number): ReadonlyArray<ReadonlyArray<string>> => [
  [
    `${"  ".repeat(depth)}${part.name}`,
    part.overdueMs === null ? part.state : `${part.state}, ${duration(part.overdueMs)} late`,
    part.uptimeMs === null ? "" : duration(part.uptimeMs),
    part.startedAt === null ? "" : String(part.restarts),
    ago(part.sinceProgressMs),
    part.working === null ? "" : String(part.working),
    waitingOf(part)
  ],
  ...part.parts.flatMap((under) => rowsOf(under, depth + 1))
]

export const treeText = (tree: TreePart): string => table([heading, ...rowsOf(tree, 0)])

const read = (gateway: Asked) => ask(gateway, "/api/tree", TreePart)

/** A gateway that is away is told of and asked again: whoever watches wants to see it come back. */
const follow = (gateway: Asked, json: boolean, clears: boolean) =>
  Effect.match(read(gateway), {
    onSuccess: (tree) => (json ? JSON.stringify(tree) : treeText(tree)),
    onFailure: (error) => (json ? JSON.stringify({ error: error.message }) : error.message)
  }).pipe(
    Effect.flatMap((text) => Console.log(`${clears ? clear : ""}${text}`)),
    Effect.andThen(Effect.sleep(every)),
    Effect.forever,
    Effect.raceFirst(readerGone),
    Effect.as(exitStatus.done)
  )

const top = Effect.fnUntraced(function* (gateway: Asked, json: boolean, follows: boolean) {
  const clears = !json && (yield* isTerminal)
  if (follows || clears) return yield* follow(gateway, json, clears)
  const tree = yield* read(gateway)
  yield* Console.log(json ? JSON.stringify(tree, null, 2) : treeText(tree))
  return exitStatus.done
})

const followFlag = Flag.Boolean("follow").pipe(
  Flag.withAlias("f"),
  Flag.withDescription("Again every second, also where this is no terminal"),
  Flag.withDefault(false)
)

export const command = Command.make("top", { json, follow: followFlag }, ({ json, follow }) =>
  onGateway((gateway) => top(gateway, json, follow))
).pipe(Command.withDescription("Every long-lived part of the running gateway: since when, how often, how lately"))
