/** `npm run simulate -- --seed N --days D`: replays one course of events, or runs as many further seeds as asked for. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Simulation from "../Simulation.ts"

const flags = {
  seed: Flag.Int("seed").pipe(Flag.withDescription("The course of events"), Flag.withDefault(0)),
  days: Flag.Finite("days").pipe(Flag.withDescription("Of virtual time"), Flag.withDefault(0.25)),
  seeds: Flag.Int("seeds").pipe(Flag.withDescription("How many, from --seed on"), Flag.withDefault(1))
}

const summary = ({ fingerprint, faults, feishus, messages }: Simulation.Report): string => {
  const counted = Simulation.faults.map((fault) => `  ${String(faults.get(fault) ?? 0).padStart(5)} ${fault}`)
  return [`${messages} messages, ${feishus} of 3 platforms Feishu, course ${fingerprint}`, ...counted].join("\n")
}

/** Ends with 1 at the first course that breaks a law. */
const simulate = Effect.fnUntraced(function* ({ seed, days, seeds }: { seed: number; days: number; seeds: number }) {
  for (let each = seed; each < seed + seeds; each++) {
    const report = yield* Simulation.run({ seed: each, hours: days * 24 })
    yield* Console.log(Simulation.explain(report))
    yield* Console.log(summary(report))
    if (report.broken !== null) return yield* Effect.fail("a law was broken")
  }
})

Command.make("simulate", flags, simulate).pipe(
  Command.withDescription("The gateway on virtual time, among faults that a seed draws"),
  Command.run({ version: "1" }),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
