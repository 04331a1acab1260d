/**
 * The rehearsal: the built service in processes of its own against Feishu's far end, through everything that goes wrong.
 * Prints what the log, the timeline and the ledgers say; ends with 1 when anything falls short.
 *
 *   npm run rehearse [-- --only NAME] [--outage SECONDS]
 */
import { Cause, Duration, Effect, Exit } from "effect"
import { parseArgs } from "node:util"
import { killInTheMiddle } from "./crash.ts"
import { deadSession, halfOpen, normalReturn, outage, reset } from "./losses.ts"
import { oneOfThree } from "./neighbours.ts"
import * as Report from "./Report.ts"
import { duringBackoff, duringBootstrap, duringUpgrade } from "./stops.ts"

const { values } = parseArgs({ options: { only: { type: "string" }, outage: { type: "string", default: "60" } } })

const scenarios: Readonly<Record<string, (report: Report.Report) => Effect.Effect<void>>> = {
  "half-open": halfOpen,
  "dead-session": deadSession,
  reset,
  "normal-return": normalReturn,
  outage: outage(Duration.seconds(Number(values.outage))),
  "kill-in-the-middle": killInTheMiddle,
  "stop-in-backoff": duringBackoff,
  "stop-in-bootstrap": duringBootstrap,
  "stop-in-upgrade": duringUpgrade,
  "one-of-three": oneOfThree
}

/** True when it held. A scenario that cannot go on has fallen short too, and says where. */
const play = Effect.fnUntraced(function* (name: string, scenario: (report: Report.Report) => Effect.Effect<void>) {
  console.log(`\n${name}`)
  const report = Report.make()
  const [took, exit] = yield* Effect.timed(Effect.exit(scenario(report)))
  if (Exit.isFailure(exit)) yield* report.check("it went on to its end", false, Cause.pretty(exit.cause))
  const holds = report.checks().length > 0 && report.checks().every(({ holds }) => holds)
  console.log(`  ${holds ? "PASS" : "FAIL"}  ${name}, ${Duration.toSeconds(took).toFixed(1)} s`)
  return { name, holds }
})

const wanted = Object.entries(scenarios).filter(([name]) => values.only === undefined || values.only === name)
if (wanted.length === 0)
  console.error(`there is no scenario "${values.only}"; there are ${Object.keys(scenarios).join(", ")}`)
const played = await Effect.runPromise(Effect.forEach(wanted, ([name, scenario]) => play(name, scenario)))
const short = played.filter(({ holds }) => !holds).map(({ name }) => name)
console.log(
  `\n${played.length - short.length} of ${played.length} scenarios held${short.length === 0 ? "" : `; short: ${short.join(", ")}`}`
)
// Everything is closed by now, and nothing that a far end may have left behind is to hold the end.
process.exit(wanted.length > 0 && short.length === 0 ? 0 : 1)
