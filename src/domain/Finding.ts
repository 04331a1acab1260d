/** What a look at one thing found: how it stands, what was seen, and what to do about it. The words of `evergate doctor`. */
import { Schema } from "effect"

/** `skip`: not looked at, since what it depends on failed. */
export const FindingState = Schema.Literals(["ok", "warn", "fail", "skip"])
export type FindingState = typeof FindingState.Type

export const Finding = Schema.Struct({
  /** What was looked at: `dns`, `credentials`, `store`. */
  check: Schema.String,
  /** Whose it is: a platform's id, a job's; null of what there is once. */
  subject: Schema.NullOr(Schema.String),
  state: FindingState,
  /** In a sentence, with the values that were found. */
  seen: Schema.String,
  /** A command, or a setting by its name; null where nothing is to be done. */
  remedy: Schema.NullOr(Schema.String)
})
export type Finding = typeof Finding.Type

/** The findings about one thing. */
export interface About {
  readonly ok: (check: string, seen: string) => Finding
  readonly warn: (check: string, seen: string, remedy: string) => Finding
  readonly fail: (check: string, seen: string, remedy: string) => Finding
  readonly skip: (check: string, because: string) => Finding
}

export const about = (subject: string | null): About => ({
  ok: (check, seen) => ({ check, subject, state: "ok", seen, remedy: null }),
  warn: (check, seen, remedy) => ({ check, subject, state: "warn", seen, remedy }),
  fail: (check, seen, remedy) => ({ check, subject, state: "fail", seen, remedy }),
  skip: (check, because) => ({ check, subject, state: "skip", seen: `not looked at: ${because}`, remedy: null })
})

/** The same trouble at another time has the same key. */
export const keyOf = ({ check, subject }: Finding): string => (subject === null ? check : `${check} ${subject}`)

export const isTrouble = ({ state }: Finding): boolean => state === "warn" || state === "fail"
