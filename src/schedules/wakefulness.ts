/** Since when the process has been up and awake: what passed before that was missed, what passed since is merely late. */

/** Both clocks at a look: the wall clock can be moved, the monotonic one only goes on. */
export interface Moment {
  readonly wall: number
  readonly elapsed: number
}

export interface Wakefulness extends Moment {
  /** Unix milliseconds. */
  readonly awakeSince: number
}

/** The wall clock went on without the other: the machine slept, or the clock was set forward. */
const driftMillis = 2_000
/** No loop that lives is blocked for so long between two looks: the process was stopped. */
const pauseMillis = 5 * 60_000

/** The process just started. */
export const fresh = (now: Moment): Wakefulness => ({ ...now, awakeSince: now.wall })

/** At a look, from the look before. */
export const advance = (before: Wakefulness, now: Moment): Wakefulness => {
  const elapsed = now.elapsed - before.elapsed
  const slept = now.wall - before.wall - elapsed > driftMillis || elapsed > pauseMillis
  // A clock that was set back does not make what is to come a thing of the past.
  return { ...now, awakeSince: slept ? now.wall : Math.min(before.awakeSince, now.wall) }
}
