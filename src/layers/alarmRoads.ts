/** The roads that the settings name: a chat by the outbox, a webhook, and a dead man's switch. */
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { HttpClient, TracerPropagationEnabled, withScope } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Bulletin } from "../actors/bulletin.ts"
import { beat } from "../actors/heartbeat.ts"
import type { Road } from "../actors/Notices.ts"
import { Notices, RoadBlocked } from "../actors/Notices.ts"
import { Outbox } from "../actors/Outbox.ts"
import type { Supervision } from "../actors/Supervision.ts"
import type { AlarmSettings } from "../config/Settings.ts"
import * as Address from "../domain/Address.ts"
import { iso } from "../domain/instant.ts"
import { networkFailure } from "../domain/networkFailure.ts"
import type { Database } from "../store/Database.ts"

/** What a road stands on. */
export type RoadNeeds = Notices | Outbox | HttpClient | Supervision | Database

/** Told, or pinged, as long as the layer lives. `gateway`: how it names itself. */
export const layer = (settings: AlarmSettings, gateway: string): Layer.Layer<never, never, RoadNeeds> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const notices = yield* Notices
      if ("to" in settings) yield* notices.serve(yield* chatRoad(settings.to))
      else if ("webhook" in settings) yield* notices.serve(yield* webhookRoad(settings.webhook, gateway))
      else yield* pinging(settings)
    })
  )

const chatRoad = Effect.fnUntraced(function* (to: string) {
  const outbox = yield* Outbox
  // The settings' check has read it already.
  const address = Option.getOrThrow(Address.parse(to))
  const road: Road = {
    name: to,
    platform: address.platform,
    tell: ({ text }) =>
      outbox.post({ to: address, text }).pipe(
        Effect.asVoid,
        Effect.mapError(({ message }) => new RoadBlocked({ detail: message }))
      )
  }
  return road
})

const webhookRoad = Effect.fnUntraced(function* (url: Redacted.Redacted, gateway: string) {
  const { host, send } = yield* client(url)
  const road: Road = {
    name: host,
    platform: null,
    tell: Effect.fnUntraced(function* (bulletin) {
      const body = JSON.stringify(bodyOf(bulletin, gateway, yield* Clock.currentTimeMillis))
      yield* send(HttpClientRequest.bodyText(HttpClientRequest.post(Redacted.value(url)), body, "application/json"))
    })
  }
  return road
})

/** `text` is what chat services take from a webhook; the rest is for programs. */
const bodyOf = ({ text, raised, cleared, open }: Bulletin, gateway: string, at: number) => ({
  gateway,
  at: iso(at),
  well: open.length === 0,
  text,
  raised,
  cleared,
  open
})

const pinging = Effect.fnUntraced(function* ({
  heartbeat,
  every
}: Extract<AlarmSettings, { readonly heartbeat: Redacted.Redacted }>) {
  const { host, send } = yield* client(heartbeat)
  yield* beat({ name: host, every, ping: send(HttpClientRequest.get(Redacted.value(heartbeat))) })
})

/** The URL is a secret, so that a failure names the host alone. */
const client = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  // Nobody reads what a road says beside its status: the call ends there, or its connection would wait for a reader.
  const http = withScope(yield* HttpClient)
  const { host } = new URL(Redacted.value(url))
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    http.execute(request).pipe(
      Effect.provideService(TracerPropagationEnabled, false),
      Effect.mapError((error) => new RoadBlocked({ detail: networkFailure(error, host).message })),
      Effect.flatMap(({ status }) =>
        status >= 200 && status < 300 ? Effect.void : new RoadBlocked({ detail: `${host} answered with ${status}` })
      ),
      Effect.scoped
    )
  return { host, send }
})
