/** kill -9 in the middle of 100 messages: everything that was accepted is answered, and once. */
import { Effect, Fiber } from "effect"
import { gateway, until } from "../service.ts"
import type { Report } from "./Report.ts"
import { connected, stage } from "./Stage.ts"

const messages = 100
const chats = 20

export const killInTheMiddle = Effect.fnUntraced(function* (report: Report) {
  const { far, here, running: first, ledger } = yield* stage()
  yield* connected(first)
  const names = Array.from({ length: messages }, (_, index) => `message ${index}`)

  const saying = Effect.forEach(
    names,
    (text, index) => Effect.andThen(ledger.say(text, `oc_${index % chats}`), Effect.sleep("10 millis")),
    { discard: true }
  )
  const talk = yield* Effect.forkScoped(saying)
  yield* until(ledger.answered, (answered) => answered >= messages / 4)
  yield* first.kill("SIGKILL")
  yield* first.ended
  const [accepted, answered] = yield* Effect.all([ledger.accepted, ledger.answered])
  yield* report.note(`killed with ${accepted} of ${messages} accepted and ${answered} answered`)

  yield* Fiber.join(talk)

  const began = Date.now()
  const second = yield* gateway(here)
  yield* connected(second)
  yield* report.atMost("connected after the next start", Date.now() - began, 5_000)
  yield* ledger.settled

  yield* report.tell(second, "feishu")
  yield* report.check(
    "it was the middle",
    answered < messages,
    `${answered} answered before, ${messages - answered} after`
  )
  yield* ledger.judge(report)
  const { inbox, outbox } = yield* second.status
  const left = { unprocessed: inbox.unprocessed, pending: outbox.pending, dead: outbox.dead }
  yield* report.check("nothing is left", left.unprocessed + left.pending + left.dead === 0, JSON.stringify(left))
  yield* report.check("uuids", yield* isEachItsOwn(far.exchange.ledger), "each message of the bot has its own")
}, Effect.scoped)

const isEachItsOwn = (ledger: Effect.Effect<ReadonlyArray<{ readonly uuid: string }>>) =>
  Effect.map(ledger, (sent) => new Set(sent.map(({ uuid }) => uuid)).size === sent.length)
