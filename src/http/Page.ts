/** The page: three files, read once at the start and served from memory; no network but this one is asked for anything. */
import { Effect, FileSystem, Path } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

const files = [
  { path: "/", file: "index.html", contentType: "text/html; charset=utf-8" },
  { path: "/page/page.css", file: "page.css", contentType: "text/css; charset=utf-8" },
  { path: "/page/page.js", file: "page.js", contentType: "text/javascript; charset=utf-8" }
] as const

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    // A build without its page is broken: that is a defect, told at the start.
    const folder = yield* Effect.orDie(path.fromFileUrl(new URL("./page/", import.meta.url)))
    for (const { path: url, file, contentType } of files) {
      const text = yield* Effect.orDie(fs.readFileString(path.join(folder, file)))
      yield* router.add("GET", url, Effect.succeed(HttpServerResponse.text(text, { contentType })))
    }
  })
)
