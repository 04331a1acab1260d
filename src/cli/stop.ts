/** `evergate stop`: asks the home's gateway to stop, says what that waits for, and sees to it that nobody is left. */
import { Console, Duration, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { Status } from "../http/Status.ts"
import * as Ending from "../layers/ending.ts"
import * as Holder from "../layers/holder.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import * as Managed from "../layers/managed.ts"
import * as Managers from "../layers/managers.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { onGateway } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { counted, duration } from "./text.ts"

/** What a command that holds the home gets to be done with it. */
const commandPatience = Duration.seconds(10)

/** Ends with 0 when no gateway of this home is left. */
export const stop = Effect.fnUntraced(function* (gateway: Asked) {
  const holder = yield* HomeLock.holder(gateway.home)
  if (Option.isNone(holder)) {
    yield* Console.log(`evergate is stopped already (${gateway.home})`)
    return exitStatus.done
  }
  return yield* stopHolder(gateway, holder.value)
})

const stopHolder = (gateway: Asked, holder: Holder.Holder) => {
  const { gateway: running, host, pid } = holder
  if (!Holder.isHere(holder)) return refuse(`process ${pid} on ${host} holds ${gateway.home}; stop it there`)
  if (running === undefined) return leave(gateway, holder)
  const { managed } = running
  if (managed === null) return end(gateway, holder, running)
  const command = Managed.commandTo("stop", managed)
  if (command !== null) return byManager(holder, running, managed, command)
  return managed.isOurs
    ? end(gateway, holder, running)
    : refuse(`process ${pid} is run by ${managed.manager}, which would start it again; stop it there`)
}

const refuse = (why: string): Effect.Effect<ExitStatus> => Effect.as(Console.error(why), exitStatus.failed)

/** No gateway: a command that writes there, and is not to be cut. */
const leave = (gateway: Asked, holder: Holder.Holder) =>
  Effect.flatMap(Effect.timeoutOption(Ending.gone(holder), commandPatience), (gone) =>
    Option.isSome(gone)
      ? Effect.as(Console.log(`evergate is stopped already (${gateway.home})`), exitStatus.done)
      : refuse(`process ${holder.pid} holds ${gateway.home} and is no gateway; end it by itself`)
  )

const end = Effect.fnUntraced(function* (gateway: Asked, holder: Holder.Holder, running: Holder.Running) {
  const patience = Ending.patienceOf(running)
  const killed = yield* Effect.raceFirst(Ending.end(holder, patience), saying(gateway, patience))
  yield* killed
    ? Console.error(
        `process ${holder.pid} did not stop within ${words(patience)} and was killed; what it had not done is in the store`
      )
    : Console.log(`evergate is stopped (process ${holder.pid})`)
  return exitStatus.done
})

const words = (time: Duration.Duration): string => duration(Duration.toMillis(time))

const Waiting = Schema.Struct({ sessions: Status.fields.sessions, outbox: Status.fields.outbox })

/** Every second what the stop still waits for, where that is another thing than before. */
const saying = Effect.fnUntraced(function* (gateway: Asked, patience: Duration.Duration) {
  let said = ""
  while (true) {
    yield* Effect.sleep("1 second")
    const status = yield* Effect.option(ask(gateway, "/api/status", Waiting, { timeoutMillis: 1_000 }))
    const now = Option.match(status, { onNone: () => "", onSome: waitingFor })
    if (now !== "" && now !== said) yield* Console.log(`waiting for ${now}, ${words(patience)} at most`)
    said = now
  }
})

const waitingFor = ({ outbox, sessions }: typeof Waiting.Type): string =>
  [
    ...(sessions.active > 0 ? [counted(sessions.active, "turn")] : []),
    ...(outbox.pending > 0 ? [`${counted(outbox.pending, "message")} in the outbox`] : [])
  ].join(" and ")

/** Whoever would start it again is to know that it is to stay down. */
const byManager = Effect.fnUntraced(function* (
  holder: Holder.Holder,
  running: Holder.Running,
  managed: Managed.Managed,
  command: ReadonlyArray<string>
) {
  yield* Console.log(`process ${holder.pid} is run by ${managed.manager}: \`${command.join(" ")}\``)
  yield* Managers.run(command, Ending.patienceOf(running))
  const gone = yield* Effect.timeoutOption(Ending.gone(holder), Ending.patienceOf(running))
  if (Option.isNone(gone)) return yield* refuse(`${managed.manager} has not stopped process ${holder.pid}`)
  yield* Console.log(`evergate is stopped, and stays so until ${managed.manager} is told to start it`)
  return exitStatus.done
})

export const command = Command.make("stop", {}, () => onGateway(stop)).pipe(
  Command.withDescription("Stop the gateway: running turns and the outbox get their time")
)
