/** `evergate trace`: why the bot did not reply, from what the running gateway keeps of a message. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Trace } from "../http/traceGroup.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { printable, table } from "./text.ts"

const elsewhere =
  "it never reached the gateway, or is older than `keep.messages` (a refusal: than 24 h); `evergate status` tells since when a platform is down"

const textOf = ({ answer, messages, steps }: Trace): string =>
  [
    printable(answer),
    "",
    table(steps.map(({ at, what }) => [at, what])),
    ...messages.map(({ session, traceId, turn }) => printable(`\nsession ${session}, turn ${turn}, trace ${traceId}`))
  ].join("\n")

const trace = (gateway: Asked, id: string, json: boolean) =>
  ask(gateway, `/api/messages/${encodeURIComponent(id)}/trace`, Trace, { elsewhere }).pipe(
    Effect.flatMap((found) => Console.log(json ? JSON.stringify(found, null, 2) : textOf(found))),
    Effect.as<ExitStatus>(exitStatus.done),
    // The store is asked through the gateway that has it.
    Effect.catchTag("NoAnswer", ({ message }) =>
      Effect.as(Console.error(`${message}; \`evergate status\` tells whether it runs`), exitStatus.unhealthy)
    )
  )

const message = Argument.String("message").pipe(
  Argument.withDescription("The platform's id of a message that came or was sent, an event's, a turn's or a delivery's")
)

export const command = Command.make("trace", { json, message }, ({ json, message }) =>
  onGateway((gateway) => trace(gateway, message, json))
).pipe(Command.withDescription("What became of a message: why the bot did not reply"))
