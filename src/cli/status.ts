/** `evergate status`: how the gateway is, within 3 s whatever it does. 0 when all is well, else 69. */
import { Console, Effect, Option, Result } from "effect"
import { Command } from "effect/cli"
import { Status } from "../http/Status.ts"
import * as HomeLock from "../layers/HomeLock.ts"
import { uptimeMillis } from "../layers/uptime.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { duration, printable } from "./text.ts"

/** From the start of this process, which on a slow machine takes a good part of the 3 s; the rest is for its end. */
const patienceMillis = 2_000
/** However long the start took, the gateway gets this. */
const leastPatienceMillis = 1_000

const status = Effect.fnUntraced(function* (gateway: Asked, json: boolean) {
  const timeoutMillis = Math.max(leastPatienceMillis, patienceMillis - (yield* uptimeMillis))
  const answer = yield* Effect.result(ask(gateway, "/api/status", Status, { timeoutMillis }))
  if (Result.isSuccess(answer)) {
    yield* Console.log(json ? JSON.stringify(answer.success, null, 2) : summary(answer.success))
    return answer.success.health === "ok" ? exitStatus.done : exitStatus.unhealthy
  }
  return yield* silent(gateway, json, answer.failure.message)
})

/** Nobody answered: the lock tells whether anybody is there, or cannot be read, which is what is told then. */
const silent = Effect.fnUntraced(function* (gateway: Asked, json: boolean, why: string): Effect.fn.Return<ExitStatus> {
  const held = yield* Effect.result(HomeLock.holder(gateway.home))
  const holder = Result.isSuccess(held) ? held.success : Option.none()
  const state = Result.isFailure(held) ? "unknown" : Option.isSome(holder) ? "running, does not answer" : "stopped"
  const pid = Option.match(holder, { onNone: () => null, onSome: (found) => found.pid })
  const text =
    pid === null
      ? `evergate is ${state} (${Result.isFailure(held) ? held.failure.message : gateway.home})`
      : `evergate is ${state}: process ${pid} (${why}); see \`evergate logs\`, or end it by \`evergate stop\``
  yield* Console.log(json ? JSON.stringify({ state, pid, home: gateway.home, detail: why }, null, 2) : text)
  return exitStatus.unhealthy
})

/** Since when a platform is down stands in the reasons: `since` is the state's, which every attempt changes. */
const platformLines = (link: Status["platforms"][number]): ReadonlyArray<string> => {
  const isUp = link.state === "connected"
  const isWaiting = link.state === "backoff" || link.state === "failed"
  const since = isUp || link.state === "stopped" ? ` since ${link.since}` : `, attempt ${link.attempt}`
  const next = isWaiting ? `, next ${link.nextAttemptAt ?? "now"}` : ""
  const error =
    link.lastError === null || isUp
      ? []
      : [`      ${link.lastError.kind}: ${link.lastError.message}`, `      ${link.lastError.hint}`]
  return [`  ${link.id} (${link.kind})  ${link.state}${since}${next}`, ...error]
}

/** What a person wants to know first, first. */
export const summary = (status: Status): string => {
  const { inbox, outbox, store, cron } = status
  const lines = [
    `evergate ${status.version}, pid ${status.pid}, up ${duration(status.uptimeMs)}: ${status.health}`,
    ...status.reasons.map((reason) => `  ! ${reason}`),
    "platforms",
    ...status.platforms.flatMap(platformLines),
    `cron      ${cron.running ? "running" : "not running"}, last tick ${cron.lastTickAt ?? "never"}`,
    ...cron.jobs.map((job) => `  ${job.id}  next ${job.next ?? "never"}, last ${job.last?.outcome ?? "none"}`),
    `inbox     ${inbox.accepted} accepted, ${inbox.duplicates} repeated, ${inbox.refused} refused, ${inbox.unprocessed} waiting`,
    `outbox    ${outbox.pending} pending, ${outbox.delivered} delivered, ${outbox.dead} dead`,
    `store     ${store.url}, ${Math.ceil(store.bytes / 1024)} KiB${store.lastError === null ? "" : `, ${store.lastError}`}`,
    `config    ${status.config.source}`
  ]
  return lines.map(printable).join("\n")
}

export const command = Command.make("status", { json }, ({ json }) =>
  onGateway((gateway) => status(gateway, json))
).pipe(Command.withDescription("How the gateway is; ends with 0 when all is well, else with 69"))
