/** Every link as a row: what it is now, and a line of time in which each state has a colour and a pattern, and its cause. */
import { change, read } from "./api.js"
import { at, button, clock, h, keyed, lasting, svg } from "./dom.js"

/** A shape and a word: colour alone tells too few people. */
const shapes = { connected: "●", connecting: "◌", backoff: "▲", failed: "■", stopped: "○", unknown: "·" }
const width = 1000
const height = 26

const timelines = new Map()
let latest = []

const windowMillis = () => Number(document.querySelector("#window input:checked").value)

/** The stretches of time between changes, oldest first; before the first change nothing is known. */
const stretchesOf = (changes, from, now) => {
  const oldestFirst = changes.toReversed()
  const stretches = oldestFirst.map((change, index) => ({
    ...change,
    from: Date.parse(change.at),
    to: index + 1 < oldestFirst.length ? Date.parse(oldestFirst[index + 1].at) : now
  }))
  return stretches.filter(({ to }) => to > from).map((stretch) => ({ ...stretch, from: Math.max(stretch.from, from) }))
}

const isDeaf = ({ state }) => state !== "connected" && state !== "stopped"

const sum = (stretches) => stretches.filter(isDeaf).reduce((millis, { from, to }) => millis + (to - from), 0)

const wordsOf = (stretch) =>
  [
    `${shapes[stretch.state]} ${stretch.state} for ${lasting(stretch.to - stretch.from)}`,
    `${clock(stretch.from)} – ${clock(stretch.to)}`,
    stretch.kind ? `${stretch.kind}: ${stretch.message ?? ""}` : (stretch.message ?? "")
  ].filter((line) => line !== "")

const tip = at("tip")

const showTip = (stretch, x, y) => {
  tip.replaceChildren(...wordsOf(stretch).map((line, index) => h(index === 0 ? "strong" : "p", {}, line)))
  tip.hidden = false
  const { offsetWidth, offsetHeight } = tip
  tip.style.left = `${Math.max(8, Math.min(x - offsetWidth / 2, innerWidth - offsetWidth - 8))}px`
  tip.style.top = `${y - offsetHeight - 10 < 8 ? y + 34 : y - offsetHeight - 10}px`
}

const hideTip = () => (tip.hidden = true)

/** The line of one link; the arrow keys walk over its stretches. */
const makeLine = (row) => {
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" })
  const line = h("div", { class: "line", tabindex: "0", role: "img" }, drawing)
  let chosen = -1
  const choose = (index) => {
    const { stretches = [] } = row
    if (stretches.length === 0) return
    chosen = Math.max(0, Math.min(index, stretches.length - 1))
    const box = line.getBoundingClientRect()
    const stretch = stretches[chosen]
    const middle = (stretch.from + stretch.to) / 2
    const share = (middle - row.from) / (row.now - row.from)
    showTip(stretch, box.left + share * box.width, box.top)
    line.setAttribute("aria-label", `${row.summary}. ${wordsOf(stretch).join(", ")}`)
  }
  line.addEventListener("pointermove", (event) => {
    const box = line.getBoundingClientRect()
    const when = row.from + ((event.clientX - box.left) / box.width) * (row.now - row.from)
    const found = (row.stretches ?? []).find(({ from, to }) => from <= when && when <= to)
    if (found) showTip(found, event.clientX, box.top)
    else hideTip()
  })
  line.addEventListener("pointerleave", hideTip)
  line.addEventListener("blur", hideTip)
  line.addEventListener("focus", () => choose((row.stretches ?? []).length - 1))
  line.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(chosen + step)
  })
  return { line, drawing }
}

const draw = (row) => {
  const now = Date.now()
  const from = now - windowMillis()
  const stretches = stretchesOf(timelines.get(row.id) ?? [], from, now)
  Object.assign(row, { now, from, stretches })
  const x = (when) => ((when - from) / (now - from)) * width
  row.drawing.replaceChildren(
    svg("rect", { class: "unknown", x: 0, y: 0, width, height }),
    ...stretches.map(({ from, state, to }) =>
      // A stretch of a moment is still to be seen.
      svg("rect", { class: state, x: x(from), y: 0, width: Math.max(x(to) - x(from), 2), height })
    )
  )
  const outages = stretches.filter(isDeaf).length
  const deaf = sum(stretches)
  row.summary = `${row.id}: ${deaf === 0 ? "never deaf" : `deaf for ${lasting(deaf)}`} in the time shown`
  row.line.setAttribute("aria-label", `${row.summary}; arrow keys walk over ${outages} stretches without it`)
  const midnight = new Date().setHours(0, 0, 0, 0)
  const today = sum(stretchesOf(timelines.get(row.id) ?? [], midnight, now))
  row.deaf.textContent = row.kind === "local" ? "" : `deaf today ${lasting(today)}`
  row.deaf.className = today > 0 ? "deaf some" : "deaf"
}

const rows = new Map()

const act = (id, what) => () => change("POST", `/api/platforms/${encodeURIComponent(id)}/${what}`)

const makeRow = ({ id, kind }) => {
  const row = { id, kind }
  const { line, drawing } = makeLine(row)
  const [name, state, facts, deaf, error] = [h("strong", {}, id), h("span"), h("span"), h("span"), h("p")]
  const stop = button("Stop", act(id, "stop"), { "aria-label": `Stop ${id}` })
  const start = button("Start", act(id, "start"), { "aria-label": `Start ${id}` })
  const reconnect = button("Reconnect", act(id, "reconnect"), { "aria-label": `Reconnect ${id}` })
  Object.assign(row, { line, drawing, state, facts, deaf, error, stop, start, reconnect })
  row.article = h(
    "article",
    { class: "link" },
    h("div", { class: "name" }, name, state, deaf, h("span", { class: "hands" }, reconnect, stop, start)),
    line,
    facts,
    error
  )
  facts.className = "faint facts"
  error.className = "cause"
  rows.set(id, row)
  return row.article
}

const updateRow = (link) => {
  const row = rows.get(link.id)
  row.state.className = `state ${link.state}`
  row.state.textContent = `${shapes[link.state]} ${link.state}`
  const isLocal = link.kind === "local"
  for (const hand of [row.reconnect, row.stop, row.start]) hand.hidden = isLocal
  if (!isLocal) {
    row.stop.hidden = link.state === "stopped"
    row.reconnect.hidden = link.state === "stopped"
    row.start.hidden = link.state !== "stopped"
  }
  const { turns, outbox } = link.waiting
  const silence = link.pathSilenceMs === null ? null : `silent for ${lasting(link.pathSilenceMs)}`
  row.facts.textContent = [
    isLocal ? null : `${link.connects} connects, ${link.disconnects} disconnects`,
    silence,
    turns > 0 ? `${turns} turns wait` : null,
    outbox > 0 ? `${outbox} messages wait to be sent` : null,
    link.nextAttemptAt ? `next attempt ${clock(link.nextAttemptAt)}` : null
  ]
    .filter((part) => part !== null)
    .join(" · ")
  const failed = link.lastError !== null && link.state !== "connected"
  row.error.hidden = !failed
  if (failed) {
    const { hint, kind, message } = link.lastError
    row.error.replaceChildren(h("strong", {}, kind), ` ${message}`, h("span", { class: "faint" }, ` — ${hint}`))
  }
}

const drawAxis = () => {
  const now = Date.now()
  const span = windowMillis()
  const marks = [0, 0.25, 0.5, 0.75].map((share) =>
    h("span", {}, clock(new Date(now - span * (1 - share)).toISOString()))
  )
  at("axis").replaceChildren(...marks, h("span", {}, "now"))
}

const redraw = () => {
  for (const { id } of latest) draw(rows.get(id))
  drawAxis()
}

/** What the status says of the links, and the timelines of those that moved. */
export const showLinks = async (platforms, moved) => {
  const stale = platforms.filter(({ id }) => moved === "all" || moved.has(id) || !timelines.has(id))
  await Promise.all(
    stale.map(async ({ id }) => {
      timelines.set(id, await read(`/api/platforms/${encodeURIComponent(id)}/timeline?limit=1000`))
    })
  )
  latest = platforms
  keyed(
    at("platforms"),
    platforms,
    ({ id }) => id,
    makeRow,
    (_, link) => updateRow(link),
    "No platform is configured."
  )
  redraw()
}

at("window").addEventListener("change", redraw)
setInterval(redraw, 5_000)
