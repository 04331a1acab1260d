/** `evergate outbox`: what waits to be said and what could not be, and another life or an end for it. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { DeliveryView, Done } from "../http/waitingGroups.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { printable, table } from "./text.ts"

const elsewhere = "`evergate outbox list --state dead` shows the dead ones"
const beginning = 40

const list = Effect.fnUntraced(function* (gateway: Asked, state: string, json: boolean) {
  const rows = yield* ask(gateway, `/api/outbox?state=${state}`, Schema.Array(DeliveryView))
  const lines = rows.map((row) => [
    row.id,
    row.to,
    String(row.attempts),
    row.createdAt,
    row.lastError ?? "",
    row.text.slice(0, beginning)
  ])
  const text = table(
    [["ID", "TO", "TRIES", "SINCE", "LAST ERROR", "TEXT"], ...lines].map((line) => line.map(printable))
  )
  yield* Console.log(json ? JSON.stringify(rows, null, 2) : rows.length === 0 ? `nothing is ${state}` : text)
  return exitStatus.done
})

const act = Effect.fnUntraced(function* (gateway: Asked, id: string, what: "retry" | "drop", json: boolean) {
  const path = `/api/outbox/${encodeURIComponent(id)}`
  const done =
    what === "retry"
      ? yield* ask(gateway, `${path}/retry`, Done, { method: "POST", elsewhere })
      : yield* ask(gateway, path, Done, { method: "DELETE", elsewhere })
  yield* Console.log(json ? JSON.stringify(done) : what === "retry" ? `${id} is tried again` : `${id} is dropped`)
  return exitStatus.done
})

const state = Flag.Literals("state", ["pending", "dead", "delivered"]).pipe(
  Flag.withDescription("Which messages"),
  Flag.optional
)
const id = Argument.String("id").pipe(Argument.withDescription("The message's id"))

export const command = Command.make("outbox").pipe(
  Command.withDescription("What the gateway has to say"),
  Command.withSubcommands([
    Command.make("list", { json, state }, ({ json, state }) =>
      onGateway((gateway) =>
        list(
          gateway,
          Option.getOrElse(state, () => "pending"),
          json
        )
      )
    ).pipe(Command.withDescription("The messages that wait, or with --state dead those that could not be delivered")),
    Command.make("retry", { id, json }, ({ id, json }) => onGateway((gateway) => act(gateway, id, "retry", json))).pipe(
      Command.withDescription("Try a message again now; its time to expire begins anew")
    ),
    Command.make("drop", { id, json }, ({ id, json }) => onGateway((gateway) => act(gateway, id, "drop", json))).pipe(
      Command.withDescription("Take a message out of the outbox for good")
    )
  ])
)
