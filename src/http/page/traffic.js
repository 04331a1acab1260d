/** Messages a second and the time to an answer, as this page sees them pass. */
import uPlot from "./uplot.js"
import { at } from "./dom.js"

/** Ten minutes, a point every two seconds. */
const points = 300
const stepSeconds = 2

const data = [[], [], []]
const began = new Map()
let heard = 0
let answers = []
let plot

/** Counts what passes. A turn that began before the page did is not timed. */
export const count = (event) => {
  if (event._tag === "MessageAccepted") heard++
  if (event._tag === "TurnStarted") began.set(event.turn, Date.parse(event.at))
  if (event._tag === "TurnEnded" && began.has(event.turn)) {
    answers.push(Date.parse(event.at) - began.get(event.turn))
    began.delete(event.turn)
  }
}

const step = () => {
  const median = answers.toSorted((a, b) => a - b)[Math.floor(answers.length / 2)] ?? null
  data[0].push(Math.floor(Date.now() / 1000))
  data[1].push(heard / stepSeconds)
  data[2].push(median)
  if (data[0].length > points) for (const series of data) series.shift()
  heard = 0
  answers = []
  plot?.setData(data)
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The time that is shown, whatever of it has points. */
const lately = () => [Date.now() / 1000 - points * stepSeconds, Date.now() / 1000]

/** Made anew when the colours change. */
export const drawTraffic = () => {
  const place = at("traffic")
  plot?.destroy()
  const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } }
  plot = new uPlot(
    {
      width: place.clientWidth,
      height: 170,
      cursor: { points: { show: false } },
      legend: { show: true, live: true },
      scales: {
        x: { time: true, range: lately },
        rate: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] },
        ms: { range: (_, low, high) => [0, Math.max(10, high * 1.1)] }
      },
      axes: [
        { ...axis, space: 90 },
        { ...axis, scale: "rate", size: 40 },
        { ...axis, scale: "ms", side: 1, size: 50, grid: { show: false } }
      ],
      series: [
        { label: "at" },
        { label: "messages/s", scale: "rate", stroke: colour("--accent"), width: 2, fill: colour("--wash") },
        {
          label: "time of a turn, ms",
          scale: "ms",
          stroke: colour("--warn"),
          width: 1.5,
          dash: [4, 3],
          spanGaps: true,
          points: { show: true, size: 4 }
        }
      ]
    },
    data,
    place
  )
}

new ResizeObserver(([entry]) => plot?.setSize({ width: entry.contentRect.width, height: 170 })).observe(at("traffic"))
setInterval(step, stepSeconds * 1000)
