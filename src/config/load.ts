/** Finds the configuration, fills it in and checks it: the settings to run with, or all that is wrong, told at once. */
import type { Redacted } from "effect"
import { Clock, DateTime, Effect, Path, Result } from "effect"
import type { Job } from "../domain/Job.ts"
import { isOver } from "../schedules/timetable.ts"
import { check } from "./check.ts"
import type { Document } from "./document.ts"
import { fillIn } from "./fillIn.ts"
import type { Surroundings, Wanted } from "./find.ts"
import { find, homeIn, withEnvFile } from "./find.ts"
import type { Environment } from "./references.ts"
import type { Fault } from "./report.ts"
import { ConfigError, fault } from "./report.ts"
import { secretsOf } from "./secrets.ts"
import type { LogLevel, Settings } from "./Settings.ts"

export interface Loaded {
  readonly settings: Settings
  /** Which configuration was taken, for the first log line and the status. */
  readonly source: string
  /** Every secret of the settings, to be masked wherever it appears. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** The process's variables with those of `--env-file`: the proxies may be among them. */
  readonly env: Environment
  /** One-shots whose instant has passed. Right for a job that was there before, a fault of one that is new. */
  readonly over: ReadonlyArray<{ readonly job: Job; readonly fault: Fault }>
}

/** The settings to run with. */
export const load = Effect.fnUntraced(function* (wanted: Wanted, surroundings: Surroundings) {
  const path = yield* Path.Path
  const here = { ...surroundings, env: yield* withEnvFile(wanted, surroundings) }
  const { document, source, folder, faults, holes, isWhole } = yield* find(wanted, here)
  const filled = yield* fillIn(document, document.raw, here.env, folder)
  const now = yield* Clock.currentTimeMillis
  const checked = check(filled.tree, {
    document,
    holes: [...holes, ...filled.holes],
    now,
    timezone: here.timezone ?? DateTime.zoneMakeLocal().id,
    homeOf: homeIn(path, folder, here, wanted)
  })
  const others = Result.isFailure(checked) ? checked.failure : []
  // A text that is no YAML makes no tree, so that nothing else can be said of it.
  const all = isWhole ? inOrder([...faults, ...filled.faults, ...others]) : faults
  if (all.length > 0 || Result.isFailure(checked)) return yield* new ConfigError({ source, faults: all })
  const settings = withLevel(checked.success, wanted.logLevel)
  const over = overOf(document, settings.jobs, now)
  const loaded: Loaded = { settings, source, secrets: secretsOf(settings), env: here.env, over }
  return loaded
})

const withLevel = (settings: Settings, level: LogLevel | undefined): Settings =>
  level === undefined ? settings : { ...settings, log: { ...settings.log, level } }

/** As they stand in the file. */
const inOrder = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> =>
  faults.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0))

/** Every job of the document is there, since one fault would have ended it before. */
const overOf = (document: Document, jobs: ReadonlyArray<Job>, now: number): Loaded["over"] =>
  jobs.flatMap((job, index) => {
    if (!isOver(job, now)) return []
    const hint = "write an instant that is to come, or leave the job out"
    return [
      { job, fault: fault(document, ["cron", index, "schedule"], { expected: "an instant that is to come", hint }) }
    ]
  })

/** Refuses new one-shots in the past; `known` are the jobs that the store had before. */
export const refuseOver = (loaded: Loaded, known: ReadonlyArray<Job>): Effect.Effect<void, ConfigError> => {
  const isKnown = (job: Job) => known.some(({ id, schedule }) => id === job.id && schedule === job.schedule)
  const faults = loaded.over.filter(({ job }) => !isKnown(job)).map(({ fault }) => fault)
  return faults.length === 0 ? Effect.void : Effect.fail(new ConfigError({ source: loaded.source, faults }))
}
