/**
 * The jobs of the file: what only makes sense together with the platforms and the calendar. Each comparison takes only
 * what it needs, so that a fault elsewhere in a job hides none of its own.
 */
import { Duration, Option, Result, Schema } from "effect"
import * as Address from "../domain/Address.ts"
import type { Job } from "../domain/Job.ts"
import { parse } from "../schedules/timetable.ts"
import type { Path } from "./document.ts"
import { checkPlatform } from "./checkPlatforms.ts"
import type { Reading } from "./reading.ts"
import { CronSettings } from "./Settings.ts"

/** What jobs are checked against. */
export interface Surroundings {
  /** The ids of the file's platforms; null where not all of them are known. */
  readonly platforms: ReadonlyArray<string> | null
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
    const deliverTo = checkAddress(reading, item, path, given.platforms)
    const action = checkAction(reading, item, path)
    const isDue = checkSchedule(reading, item, path, given.now)
    if (settings === null || deliverTo === null || action === null || !isDue) return []
    return [jobOf(settings, { deliverTo, action, createdAt: given.now, timezone: settings.timezone ?? given.timezone })]
  })

const jobOf = (
  { id, schedule, misfire: { policy, within }, overlap }: CronSettings,
  rest: Pick<Job, "deliverTo" | "action" | "createdAt" | "timezone">
): Job => ({
  ...rest,
  id,
  schedule,
  misfire: { policy, withinMillis: within === undefined ? null : Duration.toMillis(within) },
  overlap,
  source: "file"
})

const { deliverTo, prompt, schedule, text } = CronSettings.fields
const Target = Schema.Struct({ deliverTo })
const Action = Schema.Struct({ prompt, text })
const Due = Schema.Struct({ schedule })

const checkAddress = (
  reading: Reading,
  item: unknown,
  path: Path,
  platforms: ReadonlyArray<string> | null
): Address.Address | null => {
  const target = reading.part(Target, item, path)
  if (target === null) return null
  const address = Option.getOrNull(Address.parse(target.deliverTo))
  if (address === null) {
    reading.tell([...path, "deliverTo"], {
      expected: "an address",
      hint: "write <platform id>:<chat id>[:<thread id>]"
    })
    return null
  }
  return checkPlatform(reading, [...path, "deliverTo"], address.platform, platforms) ? address : null
}

const checkAction = (reading: Reading, item: unknown, path: Path): Job["action"] | null => {
  const part = reading.part(Action, item, path)
  if (part === null) return null
  const { prompt, text } = part
  if (prompt !== undefined && text === undefined) return { _tag: "Prompt", prompt }
  if (text !== undefined && prompt === undefined) return { _tag: "Text", text }
  const found = prompt === undefined ? "neither" : "both"
  reading.tell(path, { expected: "`prompt` or `text`", found, hint: "`prompt` runs a turn, `text` is sent as it is" })
  return null
}

/** In any zone: whether there is the one that was named is told of that. */
const checkSchedule = (reading: Reading, item: unknown, path: Path, createdAt: number): boolean => {
  const part = reading.part(Due, item, path)
  if (part === null) return false
  const timetable = parse({ schedule: part.schedule, timezone: "UTC", createdAt })
  if (Result.isSuccess(timetable)) return true
  const { found, hint } = timetable.failure
  reading.tell([...path, "schedule"], { expected: "a schedule", found: `"${part.schedule}": ${found}`, hint })
  return false
}
