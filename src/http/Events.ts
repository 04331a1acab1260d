/** `GET /api/events`: what happens, as server-sent events. A comment every 15 s keeps proxies from closing the stream. */
import { Duration, Effect, Schedule, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Feed } from "../actors/Feed.ts"
import type { FeedEvent } from "../actors/Feed.ts"
import { isoOrNull } from "../domain/instant.ts"

const names: Readonly<Record<FeedEvent["_tag"], string>> = {
  LinkChanged: "link",
  MessageAccepted: "message",
  MessageRefused: "refused",
  TurnStarted: "turn",
  TurnEnded: "turn",
  DeliveryEnded: "delivery",
  RunDecided: "run",
  DiagnosisChanged: "diagnosis"
}

const instants = new Set(["at", "scheduledAt", "nextAttemptAt"])

/** As everywhere in the API an instant is a text. */
const withInstants = (key: string, value: unknown): unknown =>
  instants.has(key) && typeof value === "number" ? isoOrNull(value) : value

/** An event as it goes over the wire. Its name is always there, also where it is the format's default, `message`. */
export const encode = (event: FeedEvent): string =>
  `event: ${names[event._tag]}\ndata: ${JSON.stringify(event, withInstants)}\n\n`

const beats = Stream.fromEffectSchedule(Effect.succeed(": alive\n\n"), Schedule.spaced(Duration.seconds(15)))

export const route = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const feed = yield* Feed
    const events = Stream.merge(Stream.map(feed.events, encode), beats)
    yield* router.add(
      "GET",
      "/api/events",
      Effect.sync(() =>
        HttpServerResponse.stream(Stream.encodeText(events), {
          contentType: "text/event-stream",
          headers: { "x-accel-buffering": "no" }
        })
      )
    )
  })
)
