/** What happens, newest first, and what became of one message. */
import { read } from "./api.js"
import { at, clock, complain, h } from "./dom.js"

const shown = 200

/** An event in one line: a word for its kind, where, and what. Null where it says nothing to a person. */
const lineOf = (event) => {
  switch (event._tag) {
    case "MessageAccepted":
      return { kind: "heard", where: event.address, what: event.text, message: event.messageId }
    case "MessageRefused":
      return { kind: "refused", where: event.platform, what: event.reason, message: event.eventId }
    case "TurnEnded":
      return {
        kind: event.outcome === "ok" ? "answered" : "failed",
        where: event.session,
        what: "",
        message: event.turn
      }
    case "DeliveryEnded":
      return {
        kind: event.state === "dead" ? "dead" : "sent",
        where: event.address,
        what: event.reason ?? event.text,
        message: event.id
      }
    case "LinkChanged": {
      const { kind, message, state } = event.change
      return { kind: state, where: event.platform, what: kind ? `${kind}: ${message ?? ""}` : "" }
    }
    case "RunDecided":
      return { kind: `cron ${event.outcome}`, where: event.job, what: event.reason ?? "" }
    default:
      return null
  }
}

const timeOf = (event) => event.at ?? event.change?.at

const list = at("activity")

export const showEvent = (event) => {
  const line = lineOf(event)
  if (line === null) return
  const { kind, message, what, where } = line
  const entry = h(
    "li",
    {},
    h("time", {}, clock(timeOf(event))),
    h("span", { class: `kind ${kind.split(" ").at(-1)}` }, kind),
    h("span", { class: "where" }, where),
    h("span", { class: "what" }, what),
    message ? h("button", { type: "button", class: "quiet small", onclick: () => void trace(message) }, "trace") : null
  )
  list.prepend(entry)
  while (list.children.length > shown) list.lastElementChild.remove()
}

const trace = async (id) => {
  const place = at("trace")
  try {
    const { answer, steps } = await read(`/api/messages/${encodeURIComponent(id)}/trace`)
    const lines = steps.map(({ at: when, what }) => h("li", {}, h("time", {}, clock(when)), h("span", {}, what)))
    place.replaceChildren(h("p", { class: "answer" }, answer), h("ol", {}, ...lines))
    place.hidden = false
  } catch (error) {
    place.hidden = true
    complain(error)
  }
}

at("why").addEventListener("submit", (event) => {
  event.preventDefault()
  void trace(at("message").value.trim())
})
