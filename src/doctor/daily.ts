/**
 * The doctor's visit within the gateway: once a day, and sooner while something is wrong. What is wrong is told when two visits
 * in a row found it, so that a moment's failure is no finding; that it is over is told at once.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import { Feed } from "../actors/Feed.ts"
import { Notices } from "../actors/Notices.ts"
import { supervise } from "../actors/supervise.ts"
import type { Supervision } from "../actors/Supervision.ts"
import type { Finding } from "../domain/Finding.ts"
import { isTrouble, keyOf } from "../domain/Finding.ts"

export interface VisitTimes {
  /** After the start: what happens there has settled by then. */
  readonly first: Duration.Duration
  readonly daily: Duration.Duration
  /** While something was found once. */
  readonly again: Duration.Duration
  /** While something has failed that was told. */
  readonly hourly: Duration.Duration
}

export const visitTimes: VisitTimes = {
  first: Duration.minutes(5),
  daily: Duration.days(1),
  again: Duration.minutes(5),
  hourly: Duration.hours(1)
}

/** By its key, what was found at the last visit. */
export type Memory = ReadonlyMap<string, { readonly finding: Finding; readonly isTold: boolean }>

export interface Compared {
  readonly memory: Memory
  readonly raised: ReadonlyArray<Finding>
  readonly cleared: ReadonlyArray<Finding>
}

const grace = Duration.minutes(10)

/** Visits until the scope closes. `examine` is bounded in time by itself. */
export const layer = (
  examine: Effect.Effect<ReadonlyArray<Finding>>,
  times: VisitTimes = visitTimes
): Layer.Layer<never, never, Feed | Notices | Supervision> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const tell = yield* makeTell
      yield* supervise("doctor", { progressWithin: Duration.sum(times.first, grace), past: "slow" })((progress) =>
        Effect.gen(function* () {
          let memory: Memory = new Map()
          let wait = times.first
          while (true) {
            yield* progress(Duration.sum(wait, grace))
            yield* Effect.sleep(wait)
            const compared = compare(memory, yield* examine)
            yield* tell(compared)
            memory = compared.memory
            wait = nextIn(memory, times)
          }
        })
      )
    })
  )

/** What is new is raised at the second sight, and what was told and is not found any more is cleared. */
export const compare = (memory: Memory, findings: ReadonlyArray<Finding>): Compared => {
  const found = new Map(findings.filter(isTrouble).map((finding) => [keyOf(finding), finding]))
  const raised = Array.from(found).flatMap(([key, finding]) => (memory.get(key)?.isTold === false ? [finding] : []))
  const cleared = Array.from(memory).flatMap(([key, { finding, isTold }]) =>
    isTold && !found.has(key) ? [finding] : []
  )
  const next = Array.from(found, ([key, finding]) => [key, { finding, isTold: memory.has(key) }] as const)
  return { memory: new Map(next), raised, cleared }
}

const nextIn = (memory: Memory, { again, daily, hourly }: VisitTimes): Duration.Duration => {
  const known = Array.from(memory.values())
  if (known.some(({ isTold }) => !isTold)) return again
  return known.some(({ finding }) => finding.state === "fail") ? hourly : daily
}

/** In the log, to whoever listens, and what failed to whoever is alarmed. */
const makeTell = Effect.gen(function* () {
  const feed = yield* Feed
  const notices = yield* Notices

  return Effect.fnUntraced(function* ({ cleared, memory, raised }: Compared) {
    yield* Effect.forEach(raised, logRaised, { discard: true })
    yield* Effect.forEach(cleared, logCleared, { discard: true })
    if (raised.length + cleared.length > 0) {
      yield* feed.tell({ _tag: "DiagnosisChanged", raised, cleared, at: yield* Clock.currentTimeMillis })
    }
    yield* notices.report("doctor", Array.from(memory.values()).flatMap(alarmOf))
  })
})

const logRaised = (finding: Finding) =>
  (finding.state === "fail"
    ? Effect.logError("the doctor found a failure")
    : Effect.logWarning("the doctor warns")
  ).pipe(Effect.annotateLogs(fieldsOf(finding)))

const logCleared = (finding: Finding) =>
  Effect.annotateLogs(Effect.logInfo("the doctor finds it no more"), fieldsOf(finding))

const fieldsOf = ({ check, remedy, seen, subject }: Finding) => ({
  check,
  subject: subject ?? undefined,
  seen,
  hint: remedy
})

const alarmOf = ({ finding, isTold }: { readonly finding: Finding; readonly isTold: boolean }) =>
  isTold && finding.state === "fail"
    ? [{ key: keyOf(finding), platform: null, what: `${keyOf(finding)}: ${finding.seen}`, hint: finding.remedy }]
    : []
