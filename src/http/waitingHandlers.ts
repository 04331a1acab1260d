/** The endpoints of what waits: they ask the stores, and do by the actors what a hand wants done. */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Outbox } from "../actors/Outbox.ts"
import * as Address from "../domain/Address.ts"
import { iso } from "../domain/instant.ts"
import type { DeliveryId } from "../domain/Outbound.ts"
import { InboxStore } from "../store/InboxStore.ts"
import type { Delivery } from "../store/OutboxStore.ts"
import { OutboxStore } from "../store/OutboxStore.ts"
import { Api } from "./Api.ts"
import { defaultLimit } from "./limit.ts"
import { NotFound, unavailable } from "./problems.ts"
import type { DeliveryView } from "./waitingGroups.ts"

const viewOf = (row: Delivery): typeof DeliveryView.Type => ({
  id: row.id,
  to: Address.format(row.address),
  text: row.text,
  state: row.state,
  attempts: row.attempts,
  createdAt: iso(row.createdAt),
  notBefore: iso(row.notBefore),
  unknown: row.unknown,
  lastError: row.lastError
})

const noMessage = (id: DeliveryId) =>
  new NotFound({
    what: `there is no message "${id}" that is dead or waits`,
    where: "the message's id",
    hint: "GET /api/outbox?state=dead lists the dead ones; what was delivered stays as it is"
  })

export const outbox = HttpApiBuilder.group(
  Api,
  "outbox",
  Effect.fnUntraced(function* (handlers) {
    const lanes = yield* Outbox
    const store = yield* OutboxStore

    return handlers.handleAll({
      deliveries: ({ query: { limit, state } }) =>
        Effect.mapBoth(store.list(state ?? "pending", limit ?? defaultLimit), {
          onFailure: unavailable,
          onSuccess: (rows) => rows.map(viewOf)
        }),
      retry: Effect.fnUntraced(function* ({ params: { id } }) {
        const known = yield* Effect.mapError(lanes.retry(id), unavailable)
        return known ? { id } : yield* noMessage(id)
      }),
      drop: Effect.fnUntraced(function* ({ params: { id } }) {
        const known = yield* Effect.mapError(lanes.drop(id), unavailable)
        if (!known) return yield* noMessage(id)
        yield* Effect.logInfo("dropped by hand").pipe(Effect.annotateLogs({ delivery: id }))
        return { id }
      })
    })
  })
)

export const sessions = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* InboxStore

    return handlers.handleAll({
      sessions: ({ query: { limit } }) =>
        Effect.mapBoth(store.sessions(limit ?? defaultLimit), {
          onFailure: unavailable,
          onSuccess: (rows) =>
            rows.map(({ session, lastReceivedAt, ...row }) => ({
              ...row,
              key: session,
              lastMessageAt: iso(lastReceivedAt)
            }))
        }),
      reset: Effect.fnUntraced(function* ({ params: { key } }) {
        const dropped = yield* Effect.mapError(store.clear(key, yield* Clock.currentTimeMillis), unavailable)
        yield* Effect.logInfo("session reset by hand").pipe(Effect.annotateLogs({ session: key, dropped }))
        return { key, dropped }
      })
    })
  })
)
