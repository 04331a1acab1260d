/**
 * A schedule as it was written becomes a timetable: what the contract's "Cron" names, and nothing else. What is refused
 * is refused by name, with what to write in its place. Pure; `occurrences` reads timetables.
 */
import { Cron, DateTime, Duration, Option, Result, Schema } from "effect"
import * as duration from "../domain/duration.ts"

/** When a job is due. `every` counts from its anchor; cron fields live on the wall clock of their zone. */
export type Timetable =
  | { readonly _tag: "Every"; readonly anchor: number; readonly periodMillis: number }
  | { readonly _tag: "Once"; readonly at: number }
  | { readonly _tag: "Fields"; readonly zone: DateTime.TimeZone; readonly wall: Cron.Cron; readonly realTime: boolean }

/** A schedule that is not taken, why, and what to write in its place. */
export class ScheduleError extends Schema.TaggedError<ScheduleError>()("ScheduleError", {
  schedule: Schema.String,
  found: Schema.String,
  hint: Schema.String
}) {
  override get message() {
    return `schedule "${this.schedule}": ${this.found}; ${this.hint}`
  }
}

/** The parts of a job that its timetable is made of. */
export interface Written {
  readonly schedule: string
  readonly timezone: string
  /** From when `every` counts. Unix milliseconds. */
  readonly createdAt: number
}

const macros: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *"
}

const forms =
  "write 5 or 6 cron fields, a macro such as @daily, `every 30m`, or an instant such as 2027-01-31T09:00:00Z"

/** The timetable of a job, or why there is none. */
export const parse = ({ schedule, timezone, createdAt }: Written): Result.Result<Timetable, ScheduleError> => {
  const text = schedule.trim()
  const refuse = (found: string, hint: string) => Result.fail(new ScheduleError({ schedule, found, hint }))
  const zone = zoneOf(timezone)
  if (Option.isNone(zone))
    return refuse(`"${timezone}" is no time zone`, "write an IANA name such as Europe/Berlin or UTC")
  if (/^every\b/i.test(text)) return parseEvery(text, createdAt, refuse)
  if (/^[+-]?\d{4}-/.test(text)) return parseInstant(text, refuse)
  if (!text.startsWith("@")) return parseFields(text, zone.value, refuse)
  const fields = macros[text.toLowerCase()]
  if (fields !== undefined) return parseFields(fields, zone.value, refuse)
  return refuse(`there is no macro ${text}`, `write one of ${Object.keys(macros).join(" ")}`)
}

/** Most jobs live in UTC, where nothing has to be looked up: a named zone costs a search of its rules for each instant. */
const zoneOf = (timezone: string): Option.Option<DateTime.TimeZone> =>
  timezone === "UTC" ? Option.some(DateTime.zoneMakeOffset(0)) : DateTime.zoneMakeNamed(timezone)

type Refuse = (found: string, hint: string) => Result.Result<never, ScheduleError>

const parseEvery = (text: string, anchor: number, refuse: Refuse): Result.Result<Timetable, ScheduleError> => {
  const period = duration.parse(text.replace(/^every/i, ""))
  const periodMillis = Option.isSome(period) ? Duration.toMillis(period.value) : 0
  return periodMillis < 1_000
    ? refuse("`every` wants a duration of 1 s or more", "write for example `every 30m`; the units are s, m, h and d")
    : Result.succeed({ _tag: "Every", anchor, periodMillis })
}

const parseInstant = (text: string, refuse: Refuse): Result.Result<Timetable, ScheduleError> => {
  // Without its offset an instant would be another one after a move to another zone.
  const complete = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const at = complete ? Option.filter(DateTime.make(text), () => isDate(text.slice(0, 10))) : Option.none()
  return Option.isSome(at)
    ? Result.succeed({ _tag: "Once", at: DateTime.toEpochMillis(at.value) })
    : refuse("this is no complete instant", "write date, time and offset, such as 2027-01-31T09:00:00+08:00")
}

/** JavaScript reads the 31st of February as the 3rd of March. */
const isDate = (date: string): boolean =>
  Option.exists(DateTime.make(`${date}T00:00:00Z`), (read) => DateTime.formatIso(read).startsWith(date))

const parseFields = (
  text: string,
  zone: DateTime.TimeZone,
  refuse: Refuse
): Result.Result<Timetable, ScheduleError> => {
  const fields = text.split(/\s+/)
  if (fields.length !== 5 && fields.length !== 6) return refuse("this is no schedule", forms)
  const foreign = fields.find((field) => /[#?]|(^|[^a-z])l$|^l|\dw/i.test(field))
  if (foreign !== undefined) {
    return refuse(
      `the field "${foreign}" is an extension that evergate does not know`,
      "write numbers, names, `*`, `-`, `,` and `/`"
    )
  }
  const wall = Cron.parse(text, "UTC")
  if (Result.isFailure(wall)) return refuse(`${wall.failure.message} in "${wall.failure.input ?? text}"`, forms)
  // A date that no year has, such as the 30th of February, is found out by looking for it.
  if (Option.isNone(nextWall(wall.success, 0))) return refuse("no date ever matches it", "check its day and month")
  const hour = fields[fields.length - 4] ?? ""
  return Result.succeed({ _tag: "Fields", zone, wall: wall.success, realTime: /^(\*|[^,]+\/\d+)$/.test(hour) })
}

/** A one-shot whose instant has passed: a new job of that kind would never run. */
export const isOver = (written: Written, now: number): boolean =>
  Result.match(parse(written), {
    onFailure: () => false,
    onSuccess: (timetable) => timetable._tag === "Once" && timetable.at <= now
  })

/** The wall time after this one that matches; wall times are written as if they were UTC. */
export const nextWall: (cron: Cron.Cron, wall: number) => Option.Option<number> = Option.liftThrowable((cron, wall) =>
  Cron.next(cron, wall).getTime()
)

/** The wall time before this one that matches. */
export const previousWall: (cron: Cron.Cron, wall: number) => Option.Option<number> = Option.liftThrowable(
  (cron, wall) => Cron.prev(cron, wall).getTime()
)
