/** `evergate cron`: the jobs of the running gateway, their next occurrences and what became of the past ones. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { RunView } from "../http/Api.ts"
import { JobSummary } from "../http/Status.ts"
import type { Asked } from "./client.ts"
import { ask } from "./client.ts"
import { json, onGateway } from "./evergate.ts"
import { exitStatus } from "./exit.ts"
import { table } from "./text.ts"

const Jobs = Schema.Array(JobSummary)
const Runs = Schema.Array(RunView)

const elsewhere = "`evergate cron list` shows those that there are"

const show = (json: boolean, value: unknown, rows: ReadonlyArray<ReadonlyArray<string>>, none: string) =>
  Effect.as(Console.log(json ? JSON.stringify(value, null, 2) : rows.length > 1 ? table(rows) : none), exitStatus.done)

const list = Effect.fnUntraced(function* (gateway: Asked, json: boolean) {
  const jobs = yield* ask(gateway, "/api/cron", Jobs)
  const rows = jobs.map((job) => [
    job.id,
    job.schedule,
    job.timezone,
    job.deliverTo,
    job.next ?? "never",
    job.last === null ? "none" : `${job.last.outcome} ${job.last.scheduledAt}`
  ])
  return yield* show(json, jobs, [["JOB", "SCHEDULE", "ZONE", "DELIVERS TO", "NEXT", "LAST"], ...rows], "no jobs")
})

const next = Effect.fnUntraced(function* (gateway: Asked, json: boolean) {
  const jobs = yield* ask(gateway, "/api/cron", Jobs)
  const coming = jobs
    .flatMap(({ id, next }) => (next === null ? [] : [{ job: id, next }]))
    .toSorted((a, b) => (a.next < b.next ? -1 : 1))
  const rows = coming.map(({ job, next }) => [next, job])
  return yield* show(json, coming, [["NEXT", "JOB"], ...rows], "nothing is due")
})

const run = Effect.fnUntraced(function* (gateway: Asked, id: string, json: boolean) {
  const path = `/api/cron/${encodeURIComponent(id)}/run`
  const ran = yield* ask(gateway, path, RunView, { method: "POST", elsewhere })
  const reason = ran.reason === null ? "" : ` (${ran.reason})`
  yield* Console.log(json ? JSON.stringify(ran, null, 2) : `${ran.job}: ${ran.outcome}${reason}`)
  return ran.outcome === "skipped" || ran.outcome === "failed" ? exitStatus.failed : exitStatus.done
})

const history = Effect.fnUntraced(function* (gateway: Asked, id: string, json: boolean) {
  const runs = yield* ask(gateway, `/api/cron/${encodeURIComponent(id)}/runs`, Runs, { elsewhere })
  const rows = runs.map((run) => [run.scheduledAt, run.outcome, run.delivery, run.reason ?? ""])
  return yield* show(json, runs, [["SCHEDULED", "OUTCOME", "DELIVERY", "REASON"], ...rows], "it has not run yet")
})

const jobId = Argument.String("job").pipe(Argument.withDescription("The job's id"))

export const command = Command.make("cron").pipe(
  Command.withDescription("Jobs of the running gateway"),
  Command.withSubcommands([
    Command.make("list", { json }, ({ json }) => onGateway((gateway) => list(gateway, json))).pipe(
      Command.withDescription("All jobs")
    ),
    Command.make("next", { json }, ({ json }) => onGateway((gateway) => next(gateway, json))).pipe(
      Command.withDescription("What is due next, soonest first")
    ),
    Command.make("run", { json, jobId }, ({ jobId, json }) => onGateway((gateway) => run(gateway, jobId, json))).pipe(
      Command.withDescription("Run a job now")
    ),
    Command.make("history", { json, jobId }, ({ jobId, json }) =>
      onGateway((gateway) => history(gateway, jobId, json))
    ).pipe(Command.withDescription("The past runs of a job, newest first"))
  ])
)
