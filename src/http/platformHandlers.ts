/** The endpoints of the links: their timelines, and what a hand wants done with one. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Roster } from "../actors/Roster.ts"
import { Supervisor } from "../actors/Supervisor.ts"
import type { PlatformId } from "../domain/Address.ts"
import { iso, isoOrNull } from "../domain/instant.ts"
import { LinkStore } from "../store/LinkStore.ts"
import { Api } from "./Api.ts"
import { defaultLimit } from "./limit.ts"
import { Conflict, noPlatform, unavailable } from "./problems.ts"
import { status } from "./Status.ts"

const isStopped = (id: PlatformId) =>
  new Conflict({
    what: `"${id}" is stopped`,
    where: "the platform's state",
    hint: `start it: POST /api/platforms/${id}/start`
  })

export const platforms = HttpApiBuilder.group(
  Api,
  "platforms",
  Effect.fnUntraced(function* (handlers) {
    const supervisor = yield* Supervisor
    const roster = yield* Roster
    const links = yield* LinkStore

    const shown = Effect.fnUntraced(function* (id: PlatformId) {
      const { platforms } = yield* status
      return platforms.find((platform) => platform.id === id) ?? (yield* noPlatform(id))
    })

    return handlers.handleAll({
      timeline: Effect.fnUntraced(function* ({ params: { id }, query: { limit } }) {
        if (roster.find(id) === undefined) return yield* noPlatform(id)
        const changes = yield* Effect.mapError(links.timeline(id, limit ?? defaultLimit), unavailable)
        return changes.map((change) => ({
          ...change,
          at: iso(change.at),
          nextAttemptAt: isoOrNull(change.nextAttemptAt)
        }))
      }),
      reconnect: Effect.fnUntraced(function* ({ params: { id } }) {
        if (yield* supervisor.reconnect(id)) return yield* shown(id)
        return yield* roster.find(id) === undefined ? noPlatform(id) : isStopped(id)
      }),
      stop: Effect.fnUntraced(function* ({ params: { id } }) {
        return (yield* supervisor.stop(id)) ? yield* shown(id) : yield* noPlatform(id)
      }),
      start: Effect.fnUntraced(function* ({ params: { id } }) {
        return (yield* supervisor.start(id)) ? yield* shown(id) : yield* noPlatform(id)
      })
    })
  })
)
