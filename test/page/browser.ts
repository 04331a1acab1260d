/** A real Chromium, from packages, before the page of a gateway that runs. Where this machine cannot run it, the tests say so. */
import type { Scope } from "effect"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import type { Browser, Page } from "playwright-core"
import { chromium } from "playwright-core"

/** The package's browser is built for Linux on x64. */
export const canBrowse = process.platform === "linux" && process.arch === "x64"

const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run"
]

export const browser: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const { default: packed } = await import("@sparticuz/chromium")
    const executablePath = await packed.executablePath()
    if (!existsSync(executablePath)) throw new Error(`no browser at ${executablePath}`)
    return chromium.launch({ executablePath, args: quiet, headless: true })
  }),
  (opened) => Effect.promise(() => opened.close())
)

export interface Tab {
  readonly page: Page
  /** What the page or the browser complained about. */
  readonly complaints: () => ReadonlyArray<string>
}

/** A tab at an address; everything that it asks of another host is a complaint. */
export const tab = Effect.fnUntraced(function* (
  opened: Browser,
  url: string,
  options: Parameters<Browser["newPage"]>[0] = {}
): Effect.fn.Return<Tab, never, Scope.Scope> {
  const complaints: Array<string> = []
  const page = yield* Effect.acquireRelease(
    Effect.promise(() => opened.newPage({ locale: "en-US", ...options })),
    (page) => Effect.promise(() => page.close())
  )
  page.on("pageerror", (error) => void complaints.push(error.message))
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) complaints.push(request.url())
  })
  yield* Effect.promise(() => page.goto(url))
  return { page, complaints: () => complaints }
})
