/** `GET /api/demo`: the ledger of a demonstration, where one runs; the page shows it. */
import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** What a demonstration tells of itself; null where none runs. */
export const Demonstration = Context.Reference<Effect.Effect<object> | null>("evergate/http/Demo", {
  defaultValue: () => null
})

const none = HttpServerResponse.jsonUnsafe(null)

export const route = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const ledger = yield* Demonstration
    const answer =
      ledger === null ? Effect.succeed(none) : Effect.map(ledger, (now) => HttpServerResponse.jsonUnsafe(now))
    yield* router.add("GET", "/api/demo", answer)
  })
)
