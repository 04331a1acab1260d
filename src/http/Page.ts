/** The page: its files, read once at the start and served from memory; no network but this one is asked for anything. */
import { Effect, FileSystem, Path } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8"
}

/** Our own, beside this file. */
const own = [
  "page.css",
  "page.js",
  "activity.js",
  "api.js",
  "chat.js",
  "demo.js",
  "dom.js",
  "links.js",
  "panels.js",
  "traffic.js"
]

/** The library that draws the charts, from its package. */
const foreign = { "uplot.js": "uplot/dist/uPlot.esm.js", "uplot.css": "uplot/dist/uPlot.min.css" }

const files: ReadonlyArray<{ readonly path: `/${string}`; readonly source: string }> = [
  { path: "/", source: new URL("./page/index.html", import.meta.url).href },
  ...own.map((name) => ({ path: `/page/${name}` as const, source: new URL(`./page/${name}`, import.meta.url).href })),
  ...Object.entries(foreign).map(([name, source]) => ({
    path: `/page/${name}` as const,
    source: import.meta.resolve(source)
  }))
]

export const routes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    for (const { path: url, source } of files) {
      // A build without its page is broken: that is a defect, told at the start.
      const file = yield* Effect.orDie(path.fromFileUrl(new URL(source)))
      const text = yield* Effect.orDie(fs.readFileString(file))
      const contentType = contentTypes[source.slice(source.lastIndexOf(".") + 1)] ?? "text/plain"
      yield* router.add("GET", url, Effect.succeed(HttpServerResponse.text(text, { contentType })))
    }
  })
)
