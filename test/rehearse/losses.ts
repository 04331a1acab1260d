/** Ways in which a link is lost, and that it is noticed in time and back. */
import { Duration, Effect } from "effect"
import { page } from "../../src/testing/HttpAnswer.ts"
import type { Report } from "./Report.ts"
import { back, clockWentOn, connected, everyLine, noticed, stage } from "./Stage.ts"

/** Interval, timeout and 1 s, by the default settings. */
const silence = 26_000
/** What ends a socket is told by the socket itself. */
const atOnce = 1_000

/** The path goes black both ways: nothing passes, nobody is told, and new connections meet the same. */
export const halfOpen = Effect.fnUntraced(function* (report: Report) {
  const { far, running, ledger } = yield* stage()
  yield* connected(running)
  yield* ledger.say("before")
  yield* ledger.settled

  const from = Date.now()
  yield* far.relay.swallow(true)
  yield* ledger.say("while it is black")
  // Both clocks run out at the same time here, and whichever is asked first says so.
  yield* noticed(running, report, { kind: "KeepaliveTimeout", says: "clock", from, noticedWithin: silence })
  yield* Effect.sleep("2 seconds")
  yield* far.relay.swallow(false)
  yield* back(running, report, Date.now())
  yield* ledger.say("after")
  yield* ledger.settled

  yield* report.tell(running, "feishu")
  yield* ledger.judge(report)
  yield* clockWentOn(running, report)
}, Effect.scoped)

/** The front-end goes on answering WebSocket pings for a session that is dead. */
export const deadSession = Effect.fnUntraced(function* (report: Report) {
  const { far, running, ledger } = yield* stage()
  yield* connected(running)
  yield* ledger.say("before")
  yield* ledger.settled

  const from = Date.now()
  yield* far.pongs("none")
  yield* noticed(running, report, { kind: "KeepaliveTimeout", says: "session", from, noticedWithin: silence })
  yield* far.pongs("config")
  yield* back(running, report, from)
  yield* ledger.say("after")
  yield* ledger.settled

  yield* report.tell(running, "feishu")
  yield* ledger.judge(report)
  yield* clockWentOn(running, report)
}, Effect.scoped)

/** The connection breaks without a close frame. */
export const reset = Effect.fnUntraced(function* (report: Report) {
  const { far, running, ledger } = yield* stage()
  yield* connected(running)

  const from = Date.now()
  yield* ledger.say("on the way")
  yield* everyLine(far, (line) => line.drop)
  yield* noticed(running, report, { kind: "NoCloseFrame", says: "", from, noticedWithin: atOnce })
  yield* back(running, report, from)
  yield* ledger.settled

  yield* report.tell(running, "feishu")
  yield* ledger.judge(report)
}, Effect.scoped)

/** The server says goodbye as if all were well, and the connection's loop returns: that is a loss like any other. */
export const normalReturn = Effect.fnUntraced(function* (report: Report) {
  const { far, running, ledger } = yield* stage()
  yield* connected(running)

  const from = Date.now()
  yield* everyLine(far, (line) => line.close(1000, "bye"))
  yield* noticed(running, report, { kind: "ClosedByServer", says: "1000", from, noticedWithin: atOnce })
  yield* back(running, report, from)
  yield* ledger.say("after")
  yield* ledger.settled

  yield* report.tell(running, "feishu")
  yield* ledger.judge(report)
}, Effect.scoped)

/** The service that hands out connections fails for a while. */
export const outage = (length: Duration.Duration) =>
  Effect.fnUntraced(function* (report: Report) {
    const { far, running, ledger } = yield* stage()
    yield* connected(running)

    const from = Date.now()
    yield* far.exchange.endpoint.always(page(503, "down for maintenance"))
    yield* everyLine(far, (line) => line.drop)
    yield* ledger.say("in the outage")
    yield* Effect.sleep(length)
    const { health, platforms } = yield* running.status
    const attempts = yield* far.exchange.asked("/callback/ws/endpoint")
    yield* far.exchange.endpoint.always(null)
    yield* back(running, report, Date.now())
    yield* ledger.say("after")
    yield* ledger.settled

    yield* report.tell(running, "feishu")
    yield* report.check("told meanwhile", health === "down", `health ${health}, attempt ${platforms[1]?.attempt}`)
    // One attempt a second would be a storm; none in the longest wait and a step would be a link that gave up.
    const most = 6 + Duration.toSeconds(length) / 2
    yield* report.check("kept trying, without a storm", attempts > 2 && attempts <= most, `${attempts} requests`)
    yield* report.note(`the outage was ${((Date.now() - from) / 1000).toFixed(0)} s ago`)
    yield* ledger.judge(report)
    yield* clockWentOn(running, report)
  }, Effect.scoped)
