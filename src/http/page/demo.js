/** The ledger of a demonstration, where one runs: what was done to the links, and what became of every message. */
import { read } from "./api.js"
import { at, clock, h, lasting } from "./dom.js"

const figure = (name, value, className = "") =>
  h("div", { class: `figure ${className}` }, h("strong", {}, String(value)), h("span", { class: "faint" }, name))

const faultOf = ({ at: when, backAt, platform, what }) =>
  h(
    "li",
    {},
    h("time", {}, clock(when)),
    h("strong", {}, platform),
    h("span", {}, what),
    h(
      "span",
      { class: backAt === null ? "kind backoff" : "kind ok" },
      backAt === null ? "▲ going on" : `● back after ${lasting(Date.parse(backAt) - Date.parse(when))}`
    )
  )

let isFirst = true

export const showDemo = async () => {
  const ledger = await read("/api/demo")
  // A demonstration is young: of an hour it would fill a corner.
  if (isFirst && ledger !== null) document.querySelector("#window input").click()
  isFirst = false
  at("ledger").hidden = ledger === null
  if (ledger === null) return
  const { answered, faults, lost, sent, twice, waiting } = ledger
  at("chaos").replaceChildren(
    h(
      "div",
      { class: "figures" },
      figure("sent", sent),
      figure("answered", answered),
      figure("waiting", waiting),
      figure("lost", lost, lost === 0 ? "good" : "wrong"),
      figure("answered twice", twice, twice === 0 ? "good" : "wrong")
    ),
    h("ol", { class: "faults" }, ...faults.slice(0, 6).map(faultOf))
  )
}
