/** `evergate platforms`: the links of the running gateway, and what a hand may do with one. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { PlatformStatus, Status } from "../http/Status.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { printable, table } from "./text.ts"

const elsewhere = "`evergate platforms list` shows those that there are"
/** A stop waits for running turns and for what has to be said, as long as `shutdown.drain` says. */
const patienceMillis = 120_000

const rowOf = (link: typeof PlatformStatus.Type): ReadonlyArray<string> => [
  link.id,
  link.kind,
  link.state,
  link.since,
  String(link.connects),
  link.nextAttemptAt ?? "",
  link.lastError === null || link.state === "connected" ? "" : `${link.lastError.kind}: ${link.lastError.hint}`
]

const list = Effect.fnUntraced(function* (gateway: Asked, json: boolean) {
  const { platforms } = yield* ask(gateway, "/api/status", Status)
  const heading = ["PLATFORM", "KIND", "STATE", "SINCE", "CONNECTS", "NEXT ATTEMPT", "WHY"]
  const text = platforms.length === 0 ? "no platforms" : table([heading, ...platforms.map(rowOf)])
  yield* Console.log(json ? JSON.stringify(platforms, null, 2) : text)
  return exitStatus.done
})

const act = Effect.fnUntraced(function* (gateway: Asked, id: string, what: Action["name"], json: boolean) {
  const path = `/api/platforms/${encodeURIComponent(id)}/${what}`
  const options = { method: "POST", timeoutMillis: patienceMillis, elsewhere } as const
  const platform = yield* ask(gateway, path, PlatformStatus, options)
  const state = what === "reconnect" ? "reconnecting" : platform.state
  yield* Console.log(json ? JSON.stringify(platform, null, 2) : `${printable(platform.id)}: ${state}`)
  return exitStatus.done
})

interface Action {
  readonly name: "reconnect" | "stop" | "start"
  readonly does: string
}

const actions: ReadonlyArray<Action> = [
  { name: "reconnect", does: "Replace a link that is up, or try one that waits now; no other is touched" },
  {
    name: "stop",
    does: "End a link, as at a stop of the gateway; it stays so until a start, its own or the gateway's"
  },
  { name: "start", does: "Connect a platform that was stopped" }
]

const id = Argument.String("platform").pipe(Argument.withDescription("The platform's id"))

export const command = Command.make("platforms").pipe(
  Command.withDescription("The platforms of the running gateway"),
  Command.withSubcommands([
    Command.make("list", { json }, ({ json }) => onGateway((gateway) => list(gateway, json))).pipe(
      Command.withDescription("All of them, and how they are")
    ),
    ...actions.map(({ name, does }) =>
      Command.make(name, { id, json }, ({ id, json }) => onGateway((gateway) => act(gateway, id, name, json))).pipe(
        Command.withDescription(does)
      )
    )
  ])
)
