/** Two Feishu accounts and the local chat, of which one account is broken: the others do not notice, and nobody is told but the log. */
import { Effect, Queue } from "effect"
import { gateway, feishuOf, place, until } from "../service.ts"
import * as Ledger from "./Ledger.ts"
import type { Report } from "./Report.ts"
import { all, back, everyLine, peer } from "./Stage.ts"

const alarmAfter = 2_000
/** The supervisor looks every 5 s. */
const looks = 5_000

export const oneOfThree = Effect.fnUntraced(function* (report: Report) {
  const [broken, sound] = [yield* peer(), yield* peer("cli_fedcba9876543210")]
  const link = { retry: { base: "2s", max: "4s" } }
  const platforms = [{ id: "local", kind: "local" }, feishuOf(broken, { link }), feishuOf(sound, { id: "sound" })]
  const running = yield* gateway(yield* place({ platforms, alarmAfter: `${alarmAfter}ms` }))
  const [brokenLedger, soundLedger] = [yield* Ledger.make(broken), yield* Ledger.make(sound)]
  yield* running.statusWhere(({ health }) => health === "ok")
  const socket = yield* Queue.take(sound.connected)
  yield* brokenLedger.say("before it breaks")
  yield* brokenLedger.settled

  const from = Date.now()
  yield* broken.upgrades.always({ _tag: "Refuse", status: 502 })
  yield* everyLine(broken, (line) => line.drop)
  const alarm = yield* running.line("platform is down", { platform: "feishu" })
  yield* report.atMost("told as ERROR", Date.parse(alarm.time) - from, alarmAfter + looks + 1_000)
  // Two looks more, in which nothing is told again while the others are at work.
  yield* Effect.forEach(
    Array.from({ length: 12 }),
    (_, index) => Effect.andThen(soundLedger.say(`sound ${index}`), Effect.sleep("1 second")),
    { discard: true }
  )
  yield* running.post("/api/chat", { text: "and you?" })
  yield* broken.upgrades.always(null)
  yield* back(running, report, Date.now())
  yield* running.line("platform is back", { platform: "feishu" })
  yield* Effect.all([brokenLedger.settled, soundLedger.settled])

  yield* report.tell(running, "feishu")
  yield* report.tell(running, "sound")
  const now = yield* sound.lines
  const { pid, platforms: links } = yield* running.status
  const others = links
    .filter(({ id }) => id !== "feishu")
    .map(({ id, connects, disconnects }) => `${id} ${connects}/${disconnects}`)
  yield* report.check(
    "the neighbour keeps its very socket",
    now.length === 1 && now[0] === socket,
    `${now.length} socket, connects/disconnects: ${others.join(", ")}`
  )
  yield* report.check("one process", pid === running.pid, pid)
  const told = [all(running, "platform is down").length, all(running, "platform is back").length]
  yield* report.check("the ERROR line and its end, once each", told.join() === "1,1", told.join(" and "))
  const chat = yield* until(running.get("/api/chat"), ({ json }) => Array.isArray(json) && json.length >= 2)
  yield* report.check(
    "no chat is told: local",
    chat.text.split(`"from":"gateway"`).length === 2,
    "its echo, nothing else"
  )
  yield* brokenLedger.judge(report)
  yield* soundLedger.judge(report)
}, Effect.scoped)
