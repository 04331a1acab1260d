/** What the endpoints do: ask the actors and the stores, and put their answers into words. */
import { Effect, Layer, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Outbox } from "../actors/Outbox.ts"
import { Roster } from "../actors/Roster.ts"
import { Ticker } from "../actors/Ticker.ts"
import * as Address from "../domain/Address.ts"
import { iso, isoOrNull } from "../domain/instant.ts"
import type { JobId, Run } from "../domain/Job.ts"
import type { NotHeard } from "../platforms/local/Local.ts"
import { Local } from "../platforms/local/Local.ts"
import type { InboxStore } from "../store/InboxStore.ts"
import { JobStore } from "../store/JobStore.ts"
import type { LinkStore } from "../store/LinkStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import type { RunView } from "./Api.ts"
import { Api } from "./Api.ts"
import { Configuration } from "./Configuration.ts"
import { defaultLimit } from "./limit.ts"
import { BadInput, NotFound, noPlatform, Unavailable, unavailable } from "./problems.ts"
import { jobSummary, status } from "./Status.ts"
import type { StatusSources } from "./Status.ts"
import { platforms } from "./platformHandlers.ts"
import { traces } from "./traceHandlers.ts"
import { tree } from "./Tree.ts"
import * as Waiting from "./waitingHandlers.ts"

const transcriptLines = 200

const noJob = (id: JobId) =>
  new NotFound({ what: `there is no job "${id}"`, where: "the job's id", hint: "GET /api/cron lists them" })

const runView = (run: Run): typeof RunView.Type => ({
  ...run,
  scheduledAt: iso(run.scheduledAt),
  decidedAt: iso(run.decidedAt),
  endedAt: isoOrNull(run.endedAt)
})

const gateway = HttpApiBuilder.group(
  Api,
  "gateway",
  Effect.fnUntraced(function* (handlers) {
    const outbox = yield* Outbox
    const roster = yield* Roster
    const configuration = yield* Configuration

    return handlers.handleAll({
      status: () => status,
      tree: () => tree,
      reload: () => configuration.reload,
      send: Effect.fnUntraced(function* ({ payload: { to, text, idempotencyKey } }) {
        const address = Address.parse(to)
        if (Option.isNone(address)) {
          return yield* new BadInput({
            what: `"${to}" is not an address`,
            where: "to",
            hint: "write <platform id>:<chat id>[:<thread id>]"
          })
        }
        if (roster.find(address.value.platform) === undefined) return yield* noPlatform(address.value.platform)
        const message = { to: address.value, text, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
        const id = yield* Effect.mapError(outbox.post(message), unavailable)
        return { id }
      })
    })
  })
)

const cron = HttpApiBuilder.group(
  Api,
  "cron",
  Effect.fnUntraced(function* (handlers) {
    const ticker = yield* Ticker
    const store = yield* JobStore

    return handlers.handleAll({
      jobs: () => Effect.map(ticker.status, ({ jobs }) => jobs.map(jobSummary)),
      run: Effect.fnUntraced(function* ({ params: { id } }) {
        const run = yield* Effect.mapError(ticker.runNow(id), unavailable)
        return Option.isSome(run) ? runView(run.value) : yield* noJob(id)
      }),
      runs: Effect.fnUntraced(function* ({ params: { id }, query: { limit } }) {
        const runs = yield* Effect.mapError(store.runs(id, limit ?? defaultLimit), unavailable)
        // The history of a job that was removed stays.
        if (runs.length > 0) return runs.map(runView)
        const job = yield* Effect.mapError(store.find(id), unavailable)
        return Option.isSome(job) ? [] : yield* noJob(id)
      })
    })
  })
)

const noChat = new NotFound({
  what: "this gateway has no local chat",
  where: "the configuration",
  hint: "add a platform of kind local"
})

const chat = HttpApiBuilder.group(
  Api,
  "chat",
  Effect.fnUntraced(function* (handlers) {
    const local = yield* Local
    const roster = yield* Roster
    const store = yield* OutboxStore
    const attached = Effect.suspend(() =>
      roster.find(local.chat.platform) === undefined ? Effect.fail(noChat) : Effect.void
    )

    return handlers.handleAll({
      transcript: Effect.fnUntraced(function* () {
        yield* attached
        const lines = yield* Effect.mapError(store.transcript(local.chat, transcriptLines), unavailable)
        return lines.map((line) => ({ ...line, at: iso(line.at) }))
      }),
      say: Effect.fnUntraced(function* ({ payload: { text } }) {
        yield* attached
        const id = yield* Effect.mapError(local.say(text), unheard)
        return { id }
      })
    })
  })
)

const unheard = (error: NotHeard) =>
  new Unavailable({ what: error.message, where: "the local chat", hint: "see the status, then say it again" })

export type HandlerNeeds = StatusSources | Outbox | Roster | LinkStore | JobStore | InboxStore | OutboxStore | Local

export const handlers = Layer.mergeAll(gateway, platforms, cron, chat, Waiting.outbox, Waiting.sessions, traces)
