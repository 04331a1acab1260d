/** The page in a real browser, as a person has it before them: what it shows, what a click does, what a restart does to it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { failure } from "../../src/testing/feishu/routes.ts"
import * as FeishuPeer from "../../src/testing/feishu/FeishuPeer.ts"
import { feishuOf, gateway, place } from "../service.ts"
import { browser, canBrowse, tab } from "./browser.ts"

const local = { id: "local", kind: "local" }
const daily = { id: "daily", schedule: "@daily", deliverTo: "local:me", text: "good morning" }
const markup = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"

/** Waits until the page's element has the text. */
const shows = (page: Page, selector: string, text: string) =>
  Effect.promise(() => page.locator(selector, { hasText: text }).first().waitFor({ timeout: 15_000 }))

const click = (page: Page, selector: string) => Effect.promise(() => page.locator(selector).first().click())

const textOf = (page: Page, selector: string) => Effect.promise(() => page.locator(selector).first().innerText())

describe.skipIf(!canBrowse)("the page", () => {
  it.live(
    "shows links, chat, cron and activity live; what comes from elsewhere is text; nothing is asked of another host",
    () =>
      Effect.gen(function* () {
        const peer = yield* FeishuPeer.make()
        const here = yield* place({ platforms: [local, feishuOf(peer)], cron: [daily] })
        const running = yield* gateway(here)
        const opened = yield* browser
        const { complaints, page } = yield* tab(opened, running.url)
        yield* shows(page, "#health", "ok")
        yield* shows(page, ".link", "feishu")
        yield* Effect.promise(() => page.locator("#text").fill(`hello ${markup}`))
        yield* click(page, "#say button")
        yield* shows(page, "#lines .sender", "hello <img")
        yield* shows(page, "#lines .gateway", "hello <img")
        yield* peer.say({ text: markup, chat: `oc_${markup}` })
        yield* shows(page, "#activity", "onerror")
        yield* click(page, "#activity button")
        yield* shows(page, "#trace .answer", "deliver")
        yield* click(page, "#cron button")
        yield* shows(page, "#lines", "good morning")

        assert.strictEqual(yield* Effect.promise(() => page.title()), "evergate")
        assert.strictEqual(yield* Effect.promise(() => page.locator("img, main script").count()), 0)
        assert.deepStrictEqual(complaints(), [])
      })
  )

  it.live("F219, F220: a link is stopped and started by a click, and a failure shows its cause and its hint", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({ platforms: [local, feishuOf(peer)] })
      const running = yield* gateway(here)
      yield* running.line("connected", { platform: "feishu" })
      const { page } = yield* tab(yield* browser, running.url)
      const row = '.link[data-key="feishu"]'
      yield* shows(page, `${row} .state`, "connected")
      yield* click(page, `${row} button[aria-label="Stop feishu"]`)
      yield* shows(page, `${row} .state`, "stopped")
      yield* click(page, `${row} button[aria-label="Start feishu"]`)
      yield* shows(page, `${row} .state`, "connected")
      yield* peer.exchange.endpoint.always(failure(1, "busy <b>now</b>"))
      yield* peer.relay.cut
      yield* shows(page, `${row} .cause`, "Bootstrap")
      yield* shows(page, "#reasons", "feishu")
      const line = page.locator(`${row} .line`)
      yield* Effect.promise(() => line.focus())
      yield* Effect.promise(() => page.keyboard.press("ArrowLeft"))

      assert.isTrue(yield* Effect.promise(() => page.locator("#tip").isVisible()))
      assert.match((yield* Effect.promise(() => line.getAttribute("aria-label"))) ?? "", /deaf for|never deaf/)
    })
  )

  it.live("says that it is cut off, and recovers by itself when the gateway is back", () =>
    Effect.gen(function* () {
      const here = yield* place({ platforms: [local] })
      const first = yield* gateway(here)
      const { port } = new URL(first.url)
      const { page } = yield* tab(yield* browser, first.url)
      yield* shows(page, "#health", "ok")
      yield* first.stop()
      yield* shows(page, "#health", "does not answer")
      yield* here.configure({ http: { port: Number(port) }, platforms: [local] })
      const second = yield* gateway(here)
      yield* shows(page, "body:not(.old) #health", "ok")
      yield* shows(page, "#meta", `pid ${second.pid}`)

      assert.strictEqual(yield* Effect.promise(() => page.locator("#trouble").innerText()), "")
    })
  )

  it.live("F164: a dead letter is seen with its reason, and goes out by a click", () =>
    Effect.gen(function* () {
      const peer = yield* FeishuPeer.make()
      const here = yield* place({ platforms: [local, feishuOf(peer)] })
      const running = yield* gateway(here)
      yield* running.line("connected", { platform: "feishu" })
      yield* peer.exchange.messages.next(failure(230002, "Bot/User can NOT be out of the chat.", 400))
      yield* running.post("/api/messages", { to: "feishu:oc_1", text: "once more" })
      const { page } = yield* tab(yield* browser, running.url)
      yield* shows(page, "#outbox", "230002")
      yield* click(page, "#outbox button")
      yield* shows(page, "#outbox", "Everything that was said has arrived.")

      assert.deepStrictEqual(
        (yield* peer.exchange.ledger).map(({ text }) => text),
        ["once more"]
      )
    })
  )

  it.live("is whole at 360 px, and both themes can be had by the keyboard", () =>
    Effect.gen(function* () {
      const running = yield* gateway(yield* place({ platforms: [local], cron: [daily] }))
      const viewport = { width: 360, height: 740 }
      const { page } = yield* tab(yield* browser, running.url, { viewport })
      yield* shows(page, "#health", "ok")
      yield* shows(page, "#cron", "daily")
      const width = yield* Effect.promise(() => page.evaluate("document.documentElement.scrollWidth"))
      const ground = () => Effect.promise(() => page.evaluate("getComputedStyle(document.body).backgroundColor"))
      const light = yield* ground()
      yield* Effect.promise(() => page.locator("#theme").focus())
      for (const _ of ["light", "dark"]) yield* Effect.promise(() => page.keyboard.press("Enter"))
      const dark = yield* ground()

      assert.isAtMost(Number(width), 360)
      assert.strictEqual(yield* textOf(page, "#theme"), "Theme: dark")
      assert.notStrictEqual(light, dark)
    })
  )
})
