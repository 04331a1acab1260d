/** The gateway's API as the page asks it: with the token where the listener wants one, and with its own words where it refuses. */

const tokenKey = "evergate-token"

const headers = () => {
  const token = sessionStorage.getItem(tokenKey)
  return token ? { authorization: `Bearer ${token}` } : {}
}

/** A listener that wants its token is told it once it was typed in. */
export const ask = async (path, options = {}) => {
  const response = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } })
  if (response.status === 401) {
    const token = prompt("This gateway wants its token (http.token):")
    if (token) {
      sessionStorage.setItem(tokenKey, token)
      return ask(path, options)
    }
  }
  if (!response.ok) {
    const { what, hint } = await response.json().catch(() => ({}))
    const error = new Error(what ? `${what}: ${hint}` : `${path} answered ${response.status}`)
    error.status = response.status
    throw error
  }
  return response
}

export const read = async (path) => (await ask(path)).json()

/** Asks for a change. */
export const change = async (method, path, body = {}) =>
  (await ask(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json()

/**
 * Hands every event on, and returns when the stream has ended. `fetch` and not `EventSource`, which cannot send the token.
 */
export const follow = async (path, began, onEvent) => {
  const response = await ask(path)
  began()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (rest + part.value).split("\n\n")
    rest = events.pop()
    for (const event of events) {
      const data = event
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => line.slice(6))
        .join("\n")
      if (data !== "") onEvent(JSON.parse(data))
    }
  }
}
