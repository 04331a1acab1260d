/** The jobs of the file: what only makes sense together with the platforms and the calendar. */
import { Duration, Option, Result } from "effect"
import * as Address from "../domain/Address.ts"
import type { Job } from "../domain/Job.ts"
import { parse } from "../schedules/timetable.ts"
import type { Path } from "./document.ts"
import { nearest } from "./nearest.ts"
import type { Reading } from "./reading.ts"
import { CronSettings } from "./Settings.ts"

/** What jobs are checked against. */
export interface Surroundings {
  /** The ids of the file's platforms. */
  readonly platforms: ReadonlyArray<string>
  /** Of jobs that name none. */
  readonly timezone: string
  /** From when a job counts that was never seen before. Unix milliseconds. */
  readonly now: number
}

/** The jobs that have no fault. */
export const checkJobs = (reading: Reading, raw: unknown, given: Surroundings): ReadonlyArray<Job> =>
  reading.list(raw, ["cron"]).flatMap((item, index) => {
    const path = ["cron", index]
    const settings = reading.decode(CronSettings, item, path)
    const job = settings === null ? null : toJob(reading, path, settings, given)
    return job === null ? [] : [job]
  })

const toJob = (reading: Reading, path: Path, settings: CronSettings, given: Surroundings): Job | null => {
  const { id, schedule, misfire, overlap } = settings
  const timezone = settings.timezone ?? given.timezone
  const deliverTo = checkAddress(reading, [...path, "deliverTo"], settings.deliverTo, given.platforms)
  const action = checkAction(reading, path, settings)
  const timetable = parse({ schedule, timezone, createdAt: given.now })
  if (Result.isFailure(timetable)) {
    const { found, hint } = timetable.failure
    reading.tell([...path, "schedule"], { expected: "a schedule", found: `"${schedule}": ${found}`, hint })
  }
  if (deliverTo === null || action === null || Result.isFailure(timetable)) return null
  const withinMillis = misfire.within === undefined ? null : Duration.toMillis(misfire.within)
  return {
    id,
    schedule,
    timezone,
    deliverTo,
    action,
    misfire: { policy: misfire.policy, withinMillis },
    overlap,
    source: "file",
    createdAt: given.now
  }
}

const checkAddress = (
  reading: Reading,
  path: Path,
  text: string,
  platforms: ReadonlyArray<string>
): Address.Address | null => {
  const address = Option.getOrNull(Address.parse(text))
  if (address === null) {
    reading.tell(path, { expected: "an address", hint: "write <platform id>:<chat id>[:<thread id>]" })
    return null
  }
  if (platforms.includes(address.platform)) return address
  const near = nearest(address.platform, platforms)
  const hint = near === null ? `the platforms are ${platforms.join(", ") || "none"}` : `did you mean "${near}"?`
  reading.tell(path, { expected: "an address on a platform of this configuration", hint })
  return null
}

const checkAction = (reading: Reading, path: Path, { prompt, text }: CronSettings): Job["action"] | null => {
  if (prompt !== undefined && text === undefined) return { _tag: "Prompt", prompt }
  if (text !== undefined && prompt === undefined) return { _tag: "Text", text }
  const found = prompt === undefined ? "neither" : "both"
  reading.tell(path, { expected: "`prompt` or `text`", found, hint: "`prompt` runs a turn, `text` is sent as it is" })
  return null
}
