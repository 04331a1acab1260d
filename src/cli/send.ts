/** `evergate send`: by the running gateway, else into its store, from where the next start sends it. */
import { Console, Duration, Effect, Layer, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Outbox } from "../actors/Outbox.ts"
import { Feed } from "../actors/Feed.ts"
import { Roster } from "../actors/Roster.ts"
import { Supervision } from "../actors/Supervision.ts"
import type { Whereabouts } from "../config/whereabouts.ts"
import * as Address from "../domain/Address.ts"
import { largestText, Text } from "../http/Api.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import * as Service from "../layers/Service.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"

const isText: (text: string) => boolean = Schema.is(Text)
const Sent = Schema.Struct({ id: Schema.String })

const send = Effect.fnUntraced(function* (gateway: Whereabouts, to: string, text: string, json: boolean) {
  const address = Address.parse(to)
  if (Option.isNone(address)) {
    yield* Console.error(`"${to}" is not an address; write <platform id>:<chat id>[:<thread id>]`)
    return exitStatus.usage
  }
  // Also where the gateway is stopped and nobody else would say so.
  if (!isText(text)) {
    yield* Console.error(`a message has 1 to ${largestText} characters; this one has ${text.length}`)
    return exitStatus.usage
  }
  const elsewhere = "`evergate status` shows those that there are"
  const sent = yield* Effect.result(
    ask(gateway, "/api/messages", Sent, { method: "POST", body: { to, text }, elsewhere })
  )
  if (Result.isSuccess(sent)) {
    yield* Console.log(json ? JSON.stringify({ ...sent.success, stored: false }) : `accepted as ${sent.success.id}`)
    return exitStatus.done
  }
  if (sent.failure._tag === "Refused") {
    yield* Console.error(sent.failure.message)
    return exitStatus.failed
  }
  const { platform } = address.value
  if (!gateway.platforms.some((id) => id === platform)) {
    yield* Console.error(`there is no platform "${platform}"; the configuration names ${gateway.platforms.join(", ")}`)
    return exitStatus.failed
  }
  // Nobody listens. Under the home's lock nobody can begin to while this writes.
  const id = yield* HomeLock.acquire(gateway.home).pipe(
    Effect.andThen(Effect.provide(post(address.value, text), outboxOf(gateway))),
    Effect.scoped
  )
  yield* Console.log(
    json
      ? JSON.stringify({ id, stored: true })
      : `the gateway is stopped (${gateway.home}); kept as ${id}, and sent when it starts`
  )
  return exitStatus.done
})

const post = (to: Address.Address, text: string) => Effect.flatMap(Outbox, (outbox) => outbox.post({ to, text }))

/** The stores and the outbox as the gateway has them, without any platform to send by. */
const outboxOf = (gateway: Whereabouts) =>
  Outbox.layer({ expire: Duration.hours(24) }).pipe(
    Layer.provide(Layer.mergeAll(OutboxStore.layer, Feed.layer, Supervision.layer, Roster.layer)),
    Layer.provide(Service.databaseOf(gateway))
  )

export const command = Command.make(
  "send",
  {
    json,
    to: Flag.String("to").pipe(Flag.withDescription("<platform id>:<chat id>[:<thread id>]")),
    text: Argument.String("text").pipe(Argument.withDescription("What to say"))
  },
  ({ json, text, to }) => onGateway((gateway) => send(gateway, to, text, json))
).pipe(Command.withDescription("Send a message to a chat"))
