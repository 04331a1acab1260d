/** `/livez` and `/readyz`: the first says whether this process turns, the second whether all is well. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Supervision } from "../actors/Supervision.ts"
import { standing } from "./health.ts"
import type { StatusSources } from "./Status.ts"
import { status } from "./Status.ts"

/** Depends on no platform and on no store; a stop in progress is life too. */
const livez = Effect.gen(function* () {
  const stands = standing(yield* (yield* Supervision).parts)
  return stands.length === 0
    ? HttpServerResponse.text("ok\n")
    : HttpServerResponse.text(`${stands.join(", ")}: no progress\n`, { status: 503 })
})

const readyz = Effect.gen(function* () {
  const { health, reasons, platforms } = yield* status
  const body = { health, reasons, platforms: platforms.map(({ id, state, since }) => ({ id, state, since })) }
  return HttpServerResponse.jsonUnsafe(body, { status: health === "ok" ? 200 : 503 })
})

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<StatusSources>()
    yield* router.add("GET", "/livez", Effect.provideContext(livez, context))
    yield* router.add("GET", "/readyz", Effect.provideContext(readyz, context))
  })
)
