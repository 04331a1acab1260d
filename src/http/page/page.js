/**
 * The page. The stream of events says that something happened; the page then asks what is so now. It recovers by itself when
 * the gateway comes back, and says for as long as it does not that what is shown is old.
 */
import { showEvent } from "./activity.js"
import { follow, read } from "./api.js"
import { showChat } from "./chat.js"
import { showDemo } from "./demo.js"
import { at, h, lasting } from "./dom.js"
import { showLinks } from "./links.js"
import { showCron, showOutbox, showParts, showSessions, showWork } from "./panels.js"

/** A browser that cannot draw the chart shows everything else. */
const { count, drawTraffic } = await import("./traffic.js").catch((error) => {
  at("traffic").textContent = `The chart cannot be drawn here: ${error.message}`
  return { count: () => {}, drawTraffic: () => {} }
})

const marks = { ok: "●", degraded: "▲", down: "■" }

const showHealth = ({ config, health, pid, reasons, uptimeMs, version }) => {
  at("health").className = health
  at("health").textContent = `${marks[health]} ${health}`
  at("reasons").replaceChildren(...reasons.map((reason) => h("li", {}, reason)))
  at("meta").textContent = `${version} · pid ${pid} · up ${lasting(uptimeMs)} · ${config.source}`
  document.title = `${health === "ok" ? "" : `${marks[health]} `}evergate`
}

/** Links that moved since they were last drawn. */
let moved = "all"

const refresh = async () => {
  const status = await read("/api/status")
  const [links] = [moved, (moved = new Set())]
  showHealth(status)
  showWork(status)
  showCron(status.cron)
  await Promise.all([
    showLinks(status.platforms, links),
    showChat(status.platforms),
    showOutbox(),
    showSessions(),
    showParts(),
    showDemo()
  ])
  document.body.classList.remove("old")
}

const lost = () => {
  at("health").className = "down"
  at("health").textContent = "the gateway does not answer; trying again…"
  document.body.classList.add("old")
}

let refreshing = false
let again = false

/** Many events in a row are one refresh, and the last of them is never missed. */
const refreshSoon = async () => {
  again = true
  if (refreshing) return
  refreshing = true
  while (again) {
    again = false
    await refresh().catch(lost)
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  refreshing = false
}

const onEvent = (event) => {
  if (event._tag === "LinkChanged" && moved !== "all") moved.add(event.platform)
  count(event)
  showEvent(event)
  void refreshSoon()
}

const themes = ["system", "light", "dark"]

const setTheme = (theme) => {
  localStorage.setItem("evergate-theme", theme)
  if (theme === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  at("theme").textContent = `Theme: ${theme}`
  drawTraffic()
}

setTheme(themes.find((theme) => theme === localStorage.getItem("evergate-theme")) ?? "system")
at("theme").addEventListener("click", () => {
  const now = localStorage.getItem("evergate-theme")
  setTheme(themes[(themes.indexOf(now) + 1) % themes.length])
})
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTraffic)
setInterval(() => void refreshSoon(), 10_000)

for (;;) {
  const began = () => {
    moved = "all"
    void refreshSoon()
  }
  await follow("/api/events", began, onEvent).catch(lost)
  lost()
  await new Promise((resolve) => setTimeout(resolve, 1000))
}
