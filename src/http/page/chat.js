/** The local chat. */
import { change, read } from "./api.js"
import { at, clock, complain, h } from "./dom.js"

const lines = at("lines")
const shown = new Set()

const showLine = ({ at: when, from, id, text }) => {
  if (shown.has(id)) return
  shown.add(id)
  const isAtEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 60
  lines.append(h("li", { class: from }, text, h("time", {}, clock(when))))
  if (isAtEnd || from === "sender") lines.scrollTop = lines.scrollHeight
}

/** Its lines, where this gateway has such a chat. */
export const showChat = async (platforms) => {
  const hasChat = platforms.some(({ kind, state }) => kind === "local" && state !== "stopped")
  document.querySelector(".chat").hidden = !hasChat
  document.body.classList.toggle("has-chat", hasChat)
  if (hasChat) for (const line of await read("/api/chat")) showLine(line)
}

at("say").addEventListener("submit", async (event) => {
  event.preventDefault()
  const field = at("text")
  const text = field.value
  if (text.trim() === "") return
  field.value = ""
  try {
    await change("POST", "/api/chat", { text })
  } catch (error) {
    // What was typed is not lost with the request.
    field.value = text
    complain(error)
  }
})
