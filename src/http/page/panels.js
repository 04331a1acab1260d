/** Cron, outbox, sessions, parts: what waits and what is due, each with the hand that it may need. */
import { change, read } from "./api.js"
import { at, button, bytes, clock, h, keyed, lasting } from "./dom.js"

const makeJob = (job) => {
  const past = h("ol", { class: "runs" })
  const details = h("details", {}, h("summary", {}, "past runs"), past)
  details.addEventListener("toggle", async () => {
    if (!details.open) return
    const runs = await read(`/api/cron/${encodeURIComponent(job.id)}/runs?limit=10`)
    const lines = runs.map((run) =>
      h(
        "li",
        {},
        h("time", {}, clock(run.scheduledAt)),
        h("span", { class: `kind ${run.outcome}` }, run.outcome),
        h("span", {}, [run.delivery === "none" ? "" : run.delivery, run.reason ?? ""].join(" ").trim())
      )
    )
    past.replaceChildren(...(lines.length > 0 ? lines : [h("li", { class: "faint" }, "it has not run yet")]))
  })
  const run = button("Run now", () => change("POST", `/api/cron/${encodeURIComponent(job.id)}/run`), {
    "aria-label": `Run ${job.id} now`
  })
  return h(
    "article",
    {},
    h("div", { class: "head" }, h("strong", {}, job.id), run),
    h("p", { class: "faint" }),
    h("p", { class: "next" }),
    details
  )
}

const updateJob = (article, job) => {
  const [schedule, next] = article.querySelectorAll("p")
  schedule.textContent = `${job.schedule} · ${job.timezone} → ${job.deliverTo}`
  const last = job.last === null ? "not yet run" : `last ${clock(job.last.scheduledAt)} ${job.last.outcome}`
  next.textContent = `next ${clock(job.next)} · ${last}`
}

export const showCron = ({ jobs }) => keyed(at("cron"), jobs, ({ id }) => id, makeJob, updateJob, "No jobs.")

const makeDelivery = ({ id }) => {
  const path = `/api/outbox/${encodeURIComponent(id)}`
  return h(
    "article",
    {},
    h(
      "div",
      { class: "head" },
      h("span", { class: "to" }),
      h(
        "span",
        {},
        button("Retry", () => change("POST", `${path}/retry`)),
        button("Drop", () => change("DELETE", path))
      )
    ),
    h("p", { class: "text" }),
    h("p", { class: "cause" })
  )
}

const updateDelivery = (article, { attempts, createdAt, lastError, state, text, to }) => {
  const tries = attempts > 0 ? `, ${attempts} tries` : ""
  article
    .querySelector(".to")
    .replaceChildren(
      h("span", { class: `kind ${state}` }, state === "dead" ? "■ dead" : "▲ waits"),
      ` ${to} since ${clock(createdAt)}${tries}`
    )
  article.querySelector(".text").textContent = text.length > 160 ? `${text.slice(0, 160)}…` : text
  const [, , cause] = article.children
  cause.textContent = lastError ?? ""
  cause.hidden = lastError === null
}

export const showOutbox = async () => {
  const [dead, pending] = await Promise.all([
    read("/api/outbox?state=dead&limit=20"),
    read("/api/outbox?state=pending&limit=20")
  ])
  const rows = [...dead, ...pending]
  keyed(at("outbox"), rows, ({ id }) => id, makeDelivery, updateDelivery, "Everything that was said has arrived.")
}

const makeSession = ({ key }) => {
  const reset = button("Reset", () => change("DELETE", `/api/sessions/${encodeURIComponent(key)}`), {
    "aria-label": `Reset ${key}`
  })
  return h("article", {}, h("div", { class: "head" }, h("span"), reset))
}

const updateSession = (article, { key, lastMessageAt, lastOutcome, waiting }) => {
  const [line, reset] = article.firstElementChild.children
  const state = waiting > 0 ? `${waiting} waiting` : lastOutcome === "failed" ? "last turn failed" : "at rest"
  line.replaceChildren(h("strong", {}, key), h("span", { class: "faint" }, ` ${state} · ${clock(lastMessageAt)}`))
  reset.hidden = waiting === 0
}

export const showSessions = async () => {
  const sessions = await read("/api/sessions?limit=8")
  keyed(at("sessions"), sessions, ({ key }) => key, makeSession, updateSession, "Nobody spoke yet.")
}

/** The supervision tree, as deep as it is. */
const branch = ({ name, overdueMs, parts, restarts, sinceProgressMs, state, uptimeMs, waiting, working }) => {
  const facts = [
    state === "running" ? null : state,
    overdueMs === null ? null : `${lasting(overdueMs)} over its time`,
    uptimeMs === null ? null : `up ${lasting(uptimeMs)}`,
    sinceProgressMs === null ? null : `progress ${lasting(sinceProgressMs)} ago`,
    working === null ? null : `${working} at work`,
    restarts > 0 ? `${restarts} restarts` : null,
    waiting !== null && waiting.turns > 0 ? `${waiting.turns} turns wait` : null,
    waiting !== null && waiting.outbox > 0 ? `${waiting.outbox} messages wait` : null
  ].filter((fact) => fact !== null)
  return h(
    "li",
    {},
    h("span", { class: state === "standing" ? "cause" : "" }, name),
    h("span", { class: "faint" }, ` ${facts.join(" · ")}`),
    parts.length > 0 ? h("ul", {}, ...parts.map(branch)) : null
  )
}

export const showParts = async () => {
  const { parts } = await read("/api/tree")
  at("parts").replaceChildren(h("ul", { class: "tree" }, ...parts.map(branch)))
}

export const showWork = ({ cron, inbox, outbox, sessions, store }) => {
  const work = {
    heard: `${inbox.accepted}, ${inbox.duplicates} repeated, ${inbox.refused} refused, ${inbox.unprocessed} waiting`,
    said: `${outbox.delivered} delivered, ${outbox.pending} pending, ${outbox.dead} dead`,
    turns: `${sessions.active} at work`,
    "cron tick": clock(cron.lastTickAt),
    store: `${store.ok ? "ok" : (store.lastError ?? "not ok")}, ${bytes(store.bytes)}`
  }
  at("work").replaceChildren(
    ...Object.entries(work).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))
  )
}
