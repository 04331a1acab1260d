/**
 * When silence is death. One clock of a link: ask, wait for the answer, ask again. A check that itself ran late, because
 * the loop was blocked or the machine slept, asks once more before it accuses: what was silent may have been ourselves.
 */
import { Duration, Effect } from "effect"
import type { LinkError } from "../domain/LinkError.ts"
import type { Link } from "../platforms/Platform.ts"

/** A clock as `actors/Connection` runs it. `ask` is null where the far side speaks by itself. Times are monotonic milliseconds. */
export interface LifeClock {
  readonly name: "path" | "session"
  readonly first: Duration.Duration
  readonly every: Effect.Effect<Duration.Duration>
  readonly within: Duration.Duration
  readonly ask: Effect.Effect<void, LinkError> | null
  readonly heardAt: Effect.Effect<number>
}

/** The contract's two clocks, from what an adapter declared; a clock that it declared away is left out. */
export const clocksOf = (link: Link): ReadonlyArray<LifeClock> => {
  const { path, session } = link.liveness
  const clocks: Array<LifeClock> = []
  if (path !== null) {
    clocks.push({
      name: "path",
      first: path.interval,
      every: Effect.succeed(path.interval),
      within: path.timeout,
      ask: path.ping,
      heardAt: Effect.map(link.heard, (heard) => heard.byteAt)
    })
  }
  const heardAt = Effect.map(link.heard, (heard) => heard.frameAt)
  switch (session._tag) {
    case "Answered":
      clocks.push({ name: "session", ...session, ask: session.beat, heardAt })
      break
    case "Heard":
      clocks.push({
        name: "session",
        first: session.within,
        every: Effect.succeed(session.within),
        within: session.within,
        ask: null,
        heardAt
      })
      break
    case "None":
      break
  }
  return clocks
}

/** Where a clock stands. */
export interface ClockState {
  readonly startedAt: number
  readonly nextAskAt: number
  /** The oldest question that nothing has answered yet. */
  readonly askedAt: number | null
  /** The second chance of a late check was given and not yet used. */
  readonly warned: boolean
}

export type Check =
  | { readonly _tag: "Ask"; readonly state: ClockState }
  | { readonly _tag: "Wait"; readonly untilMillis: number; readonly state: ClockState }
  | { readonly _tag: "Dead"; readonly silenceMillis: number }

export const started = (clock: LifeClock, now: number): ClockState => ({
  startedAt: now,
  nextAskAt: now + Duration.toMillis(clock.first),
  askedAt: null,
  warned: false
})

/** After the machine woke or its network changed: ask at once, whatever was asked before. */
export const woken = (state: ClockState, now: number): ClockState => ({
  ...state,
  nextAskAt: now,
  askedAt: null,
  warned: false
})

/** A check that comes this much after it was due is late. */
export const latenessMillis = 1_000

/** What to do now. `everyMillis` is the interval in force, `dueAt` when this check was planned. */
export const check = (
  clock: LifeClock,
  state: ClockState,
  at: { readonly now: number; readonly heardAt: number; readonly everyMillis: number }
): Check => (clock.ask === null ? checkHeard(clock, state, at) : checkAnswered(clock, state, at))

const checkAnswered: typeof check = (clock, state, { now, heardAt, everyMillis }) => {
  const within = Duration.toMillis(clock.within)
  const answered = state.askedAt !== null && heardAt >= state.askedAt
  const open: ClockState = answered ? { ...state, askedAt: null, warned: false } : state
  const lastHeard = Math.max(heardAt, open.startedAt)
  if (open.askedAt !== null && now >= open.askedAt + within) {
    const late = now - (open.askedAt + within) > latenessMillis
    return late && !open.warned
      ? { _tag: "Ask", state: { ...open, nextAskAt: now + everyMillis, askedAt: now, warned: true } }
      : { _tag: "Dead", silenceMillis: now - lastHeard }
  }
  if (now >= open.nextAskAt) {
    return { _tag: "Ask", state: { ...open, nextAskAt: now + everyMillis, askedAt: open.askedAt ?? now } }
  }
  const untilMillis = open.askedAt === null ? open.nextAskAt : Math.min(open.nextAskAt, open.askedAt + within)
  return { _tag: "Wait", untilMillis, state: open }
}

/** Nothing to ask here: a late check waits a little longer instead, so that what waits can be read. */
const checkHeard: typeof check = (clock, state, { now, heardAt }) => {
  const lastHeard = Math.max(heardAt, state.startedAt)
  const dueAt = lastHeard + Duration.toMillis(clock.within)
  if (now < dueAt) return { _tag: "Wait", untilMillis: dueAt, state: { ...state, warned: false } }
  return now - dueAt > latenessMillis && !state.warned
    ? { _tag: "Wait", untilMillis: now + latenessMillis, state: { ...state, warned: true } }
    : { _tag: "Dead", silenceMillis: now - lastHeard }
}
