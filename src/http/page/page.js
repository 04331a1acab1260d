/**
 * The page: the local chat and a live view of the status. Everything that comes from elsewhere is put in as text, never
 * as markup. The stream of events says that something changed; the page then asks what is so now.
 */

const at = (id) => document.getElementById(id)
const clock = (iso) => (iso === null ? "never" : new Date(iso).toLocaleTimeString())
const colours = { ok: "ok", connected: "ok", degraded: "warn", connecting: "warn", backoff: "warn" }
const colourOf = (state) => colours[state] ?? "bad"
const tokenKey = "evergate-token"

/** An element with text in it, or with other elements. */
const element = (name, className, ...content) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...content)
  return made
}

const headers = () => {
  const token = sessionStorage.getItem(tokenKey)
  return token ? { authorization: `Bearer ${token}` } : {}
}

/** Asks the API; a listener that wants its token is told it once it was typed in. */
const ask = async (path, options = {}) => {
  const response = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } })
  if (response.status === 401) {
    const token = prompt("This gateway wants its token (http.token):")
    if (token) {
      sessionStorage.setItem(tokenKey, token)
      return ask(path, options)
    }
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}))
    const { what, hint } = body
    throw new Error(what ? `${what}: ${hint}` : `${path} answered ${response.status}`)
  }
  return response
}

const lines = at("lines")
const shown = new Set()

const showLine = ({ id, from, text, at: when }) => {
  if (shown.has(id)) return
  shown.add(id)
  const isAtEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 40
  lines.append(element("li", from, text, element("time", "", clock(when))))
  if (isAtEnd || from === "sender") lines.scrollTop = lines.scrollHeight
}

const platformOf = (link) => {
  const article = element("article")
  const since = ` since ${clock(link.since)}`
  article.append(
    element(
      "p",
      "",
      element("strong", "", link.id),
      " ",
      element("span", colourOf(link.state), link.state),
      element("span", "faint", since)
    )
  )
  const { turns, outbox } = link.waiting
  const counts = `connects ${link.connects}, disconnects ${link.disconnects}, waiting: turns ${turns}, outbox ${outbox}`
  article.append(element("p", "faint", counts))
  if (link.nextAttemptAt) article.append(element("p", "warn", `next attempt ${clock(link.nextAttemptAt)}`))
  if (link.lastError && link.state !== "connected") {
    article.append(element("p", "bad", `${link.lastError.kind}: ${link.lastError.message}`))
    article.append(element("p", "faint", link.lastError.hint))
  }
  return article
}

const jobOf = (job) => {
  const article = element("article")
  article.append(
    element("p", "", element("strong", "", job.id), " ", element("span", "faint", `${job.schedule} (${job.timezone})`))
  )
  const last = job.last === null ? "not yet run" : `last ${clock(job.last.scheduledAt)}: ${job.last.outcome}`
  article.append(element("p", "faint", `next ${clock(job.next)}, ${last}`))
  return article
}

const fill = (id, parts, otherwise) =>
  at(id).replaceChildren(...(parts.length > 0 ? parts : [element("p", "faint", otherwise)]))

const showStatus = (status) => {
  const { health, reasons, platforms, cron, inbox, outbox, store, sessions, version, pid, config } = status
  at("health").className = colourOf(health)
  at("health").textContent = [health, ...reasons].join(" · ")
  at("meta").textContent = `${version}, pid ${pid}, ${config.source}`
  fill("platforms", platforms.map(platformOf), "none")
  fill("cron", cron.jobs.map(jobOf), "no jobs")
  const work = {
    "last tick": clock(cron.lastTickAt),
    inbox: `${inbox.accepted} accepted, ${inbox.duplicates} repeated, ${inbox.refused} refused, ${inbox.unprocessed} waiting`,
    outbox: `${outbox.delivered} delivered, ${outbox.pending} pending, ${outbox.dead} dead`,
    sessions: `${sessions.active} at work`,
    store: `${store.ok ? "ok" : (store.lastError ?? "not ok")}, ${Math.ceil(store.bytes / 1024)} KiB`
  }
  at("work").replaceChildren(
    ...Object.entries(work).flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)])
  )
}

const refresh = async () => {
  const status = await (await ask("/api/status")).json()
  showStatus(status)
  const hasChat = status.platforms.some(({ kind, state }) => kind === "local" && state !== "stopped")
  document.querySelector(".chat").hidden = !hasChat
  if (hasChat) for (const line of await (await ask("/api/chat")).json()) showLine(line)
}

const lost = () => {
  at("health").className = "bad"
  at("health").textContent = "the gateway does not answer; trying again…"
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
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  refreshing = false
}

/** Reads the stream until it ends. `fetch` and not `EventSource`, which cannot send the token. */
const follow = async () => {
  const response = await ask("/api/events")
  await refreshSoon()
  const reader = response.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) void refreshSoon()
}

at("say").addEventListener("submit", async (event) => {
  event.preventDefault()
  const field = at("text")
  const text = field.value
  if (text.trim() === "") return
  field.value = ""
  at("trouble").textContent = ""
  try {
    await ask("/api/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text })
    })
    await refreshSoon()
  } catch (error) {
    // What was typed is not lost with the request.
    field.value = text
    at("trouble").textContent = error.message
  }
})

for (;;) {
  await follow().catch(lost)
  lost()
  await new Promise((resolve) => setTimeout(resolve, 1000))
}
