/** `evergate doctor`: what an expert would look at, with a gateway that runs or without one. 0 when nothing failed, else 69. */
import { Console, Effect, Option, Result } from "effect"
import { Command } from "effect/cli"
import { Mask } from "../actors/Mask.ts"
import type { Wanted } from "../config/find.ts"
import { load } from "../config/load.ts"
import type { Whereabouts } from "../config/whereabouts.ts"
import { whereabouts } from "../config/whereabouts.ts"
import type { Patient } from "../doctor/diagnose.ts"
import { diagnose } from "../doctor/diagnose.ts"
import type { Answer } from "../doctor/process.ts"
import type { Finding } from "../domain/Finding.ts"
import { Status } from "../http/Status.ts"
import { maskOf } from "../layers/logLine.ts"
import * as Machine from "../layers/machine.ts"
import * as Otlp from "../layers/otlp.ts"
import { fileOf } from "../layers/Store.ts"
import { surroundings } from "../layers/surroundings.ts"
import { ask } from "./client.ts"
import { json, wanting } from "./evergate.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"
import { counted, printable } from "./text.ts"

/** A gateway that lives answers at once. */
const patienceMillis = 3_000
/** In a process of its own, where nothing else waits, a larger database is read through than at a start. */
const checkedBytes = 512 * 1024 * 1024

const doctor = Effect.fnUntraced(function* (wanted: Wanted, json: boolean) {
  const loaded = yield* Effect.result(load(wanted, surroundings))
  const place = yield* Effect.option(whereabouts(wanted, surroundings))
  const patient: Patient = {
    loaded: Result.isSuccess(loaded) ? loaded.success : loaded.failure,
    place: Option.getOrNull(Option.map(place, (found) => ({ home: found.home, database: fileOf(found) }))),
    envFile: wanted.envFile ?? null,
    answer: Option.match(place, { onNone: () => Effect.succeed({ silence: "nobody knows where" }), onSome: answerOf }),
    checkedBytes
  }
  const { env, secrets } = Result.isSuccess(loaded) ? loaded.success : { env: surroundings.env, secrets: [] }
  const findings = yield* diagnose(patient).pipe(
    Effect.provide(Machine.layer),
    Effect.provideService(Mask, maskOf([...secrets, ...Otlp.secretsOf(env)]))
  )
  yield* Console.log(json ? JSON.stringify(findings, null, 2) : report(findings))
  const status: ExitStatus = findings.some(({ state }) => state === "fail") ? exitStatus.unhealthy : exitStatus.done
  return status
})

const answerOf = (gateway: Whereabouts): Effect.Effect<Answer> =>
  Effect.match(ask(gateway, "/api/status", Status, { timeoutMillis: patienceMillis }), {
    onFailure: ({ message }): Answer => ({ silence: message }),
    onSuccess: (status): Answer => ({ status })
  })

/** A line a finding, the remedy below it; at the end how many of each. */
const report = (findings: ReadonlyArray<Finding>): string => {
  const width = Math.max(...findings.map((finding) => nameOf(finding).length))
  const lines = findings.flatMap((finding) => [
    `${finding.state.padEnd(4)}  ${nameOf(finding).padEnd(width)}  ${finding.seen}`,
    ...(finding.remedy === null ? [] : [`${" ".repeat(width + 6)}  → ${finding.remedy}`])
  ])
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length
  const end = `${counted(count("fail"), "failure")}, ${counted(count("warn"), "warning")}, ${count("ok")} in order, ${count("skip")} not looked at`
  return [...lines, "", end].map(printable).join("\n")
}

const nameOf = ({ check, subject }: Finding): string => (subject === null ? check : `${check} ${subject}`)

export const command = Command.make("doctor", { json }, ({ json }) => wanting((wanted) => doctor(wanted, json))).pipe(
  Command.withDescription(
    "Find out what is wrong, and what to do about it; ends with 69 when something failed, else with 0"
  )
)
