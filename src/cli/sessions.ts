/** `evergate sessions`: who spoke lately, what waits, and an end to what waits. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { SessionView } from "../http/waitingGroups.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { counted, printable, table } from "./text.ts"

const list = Effect.fnUntraced(function* (gateway: Asked, json: boolean) {
  const sessions = yield* ask(gateway, "/api/sessions", Schema.Array(SessionView))
  const rows = sessions.map((row) => [
    printable(row.key),
    String(row.waiting),
    row.lastMessageAt,
    row.lastOutcome ?? "at work"
  ])
  const text = table([["SESSION", "WAITING", "LAST MESSAGE", "LAST TURN"], ...rows])
  yield* Console.log(json ? JSON.stringify(sessions, null, 2) : sessions.length === 0 ? "nobody spoke yet" : text)
  return exitStatus.done
})

const Reset = Schema.Struct({ key: Schema.String, dropped: Schema.Number })

const reset = Effect.fnUntraced(function* (gateway: Asked, key: string, json: boolean) {
  const done = yield* ask(gateway, `/api/sessions/${encodeURIComponent(key)}`, Reset, { method: "DELETE" })
  const dropped = counted(done.dropped, "message")
  yield* Console.log(
    json ? JSON.stringify(done) : `${printable(key)} is reset; ${dropped} that waited will not be answered`
  )
  return exitStatus.done
})

const key = Argument.String("key").pipe(Argument.withDescription("The session, as `sessions list` shows it"))

export const command = Command.make("sessions").pipe(
  Command.withDescription("The conversations of the running gateway"),
  Command.withSubcommands([
    Command.make("list", { json }, ({ json }) => onGateway((gateway) => list(gateway, json))).pipe(
      Command.withDescription("Those that spoke lately, the newest first")
    ),
    Command.make("reset", { json, key }, ({ json, key }) => onGateway((gateway) => reset(gateway, key, json))).pipe(
      Command.withDescription("End what waits in a session; a turn that runs goes on")
    )
  ])
)
