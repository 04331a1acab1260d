/** Adds one job, as a command beside a running gateway does. Arguments: the database, the job's id. */
import { Effect } from "effect"
import { JobStore } from "../../src/store/JobStore.ts"
import { job, storesIn } from "./fixtures.ts"

const [, , filename = "", id = ""] = process.argv

await Effect.runPromise(
  Effect.flatMap(JobStore, (jobs) => jobs.put(job(id, { source: "api" }))).pipe(Effect.provide(storesIn(filename)))
)
