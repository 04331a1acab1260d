/** Elements with text in them. Everything that comes from elsewhere goes in as text: nothing here reads markup. */

export const at = (id) => document.getElementById(id)

const space = { svg: "http://www.w3.org/2000/svg" }

const filled = (made, attributes, content) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else made.setAttribute(name, value === true ? "" : String(value))
  }
  made.append(...content.filter((part) => part !== null && part !== undefined && part !== false))
  return made
}

/** An element with attributes, listeners (`onclick`) and content: text or other elements. */
export const h = (name, attributes = {}, ...content) => filled(document.createElement(name), attributes, content)

export const svg = (name, attributes = {}, ...content) =>
  filled(document.createElementNS(space.svg, name), attributes, content)

/**
 * Puts rows in, each under its key; those that stay are moved and not made anew, so that a focus, an open detail and a
 * selection live through a refresh.
 */
export const keyed = (container, rows, keyOf, make, update, otherwise) => {
  const known = new Map(Array.from(container.children, (child) => [child.dataset.key, child]))
  const wanted = rows.map((row) => {
    const key = keyOf(row)
    const found = known.get(key) ?? make(row)
    found.dataset.key = key
    update(found, row)
    return found
  })
  if (wanted.length === 0) return container.replaceChildren(h("p", { class: "faint" }, otherwise))
  for (const child of Array.from(container.children)) if (!wanted.includes(child)) child.remove()
  wanted.forEach((child, index) => {
    if (container.children[index] !== child) container.insertBefore(child, container.children[index] ?? null)
  })
}

/** A small button that says for a moment what came of it. */
export const button = (label, act, attributes = {}) => {
  const made = h("button", { type: "button", class: "quiet", ...attributes }, label)
  made.addEventListener("click", async () => {
    made.disabled = true
    try {
      await act()
      made.textContent = "done"
    } catch (error) {
      complain(error)
      made.textContent = "failed"
    }
    setTimeout(() => {
      made.textContent = label
      made.disabled = false
    }, 1200)
  })
  return made
}

let quietAt

/** What went wrong with something that a hand did. */
export const complain = (error) => {
  at("trouble").textContent = error.message
  clearTimeout(quietAt)
  quietAt = setTimeout(() => (at("trouble").textContent = ""), 10_000)
}

const two = (number) => String(number).padStart(2, "0")

export const clock = (iso) => {
  if (iso === null || iso === undefined) return "never"
  const date = new Date(iso)
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? time : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`
}

/** `850 ms`, `12 s`, `3 min 5 s`, `2 h 7 min`. */
export const lasting = (millis) => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  const seconds = Math.round(millis / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ""}`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`
  return `${Math.floor(minutes / 1440)} d`
}

export const bytes = (count) =>
  count < 1024 * 1024 ? `${Math.ceil(count / 1024)} KiB` : `${(count / 1024 / 1024).toFixed(1)} MiB`
