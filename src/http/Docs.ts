/** `GET /openapi.json` and `GET /docs`: the API described, for machines and for people; made once, at the start. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { About } from "./About.ts"
import { specOf } from "./described.ts"
import { docsPage, docsStyle } from "./docsPage.ts"

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const spec = specOf((yield* About).version)
    const texts = [
      { path: "/openapi.json", text: JSON.stringify(spec, null, 2), contentType: "application/json" },
      { path: "/docs", text: docsPage(spec), contentType: "text/html; charset=utf-8" },
      { path: "/page/docs.css", text: docsStyle, contentType: "text/css; charset=utf-8" }
    ] as const
    for (const { path, text, contentType } of texts) {
      yield* router.add("GET", path, Effect.succeed(HttpServerResponse.text(text, { contentType })))
    }
  })
)
