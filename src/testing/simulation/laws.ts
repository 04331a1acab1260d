/** The laws that hold at every moment, looked at after each step. What concerns a single call is the witness's and the agent's. */
import { Effect } from "effect"
import * as Lives from "./Life.ts"
import type { Taken } from "./farEnd.ts"
import { isDecided, newestUpTo } from "./timetables.ts"
import type { World } from "./World.ts"

/** Beyond what a promise names: checks have their own pace, and a close is waited for. */
const graceMillis = 5_000
/** The ticker looks every 5 s, and a store that failed is asked again every second. */
const cronMillis = 12_000

export const check = Effect.fnUntraced(function* (world: World) {
  yield* sends(world)
  if (world.life === null) return
  silences(world)
  cron(world)
  yield* sockets(world)
})

/** Once each, in the order of the outbox within a chat. */
const sends = Effect.fnUntraced(function* (world: World) {
  for (const farEnd of world.farEnds) {
    for (const taken of yield* farEnd.newlyTaken) receive(world, taken)
  }
})

const receive = ({ book, store, taken, newest }: World, { id, text }: Taken): void => {
  const letter = store.rows.letter(id)
  if (letter === undefined) return book.violate("sent is kept", `${id} is in no row (${text})`)
  const times = (taken.get(id) ?? 0) + 1
  taken.set(id, times)
  if (times > 1) {
    if (times > 2 || letter.unknown === 0) book.violate("sent once", `${id} was taken ${times} times (${text})`)
    return
  }
  const chat = `${letter.platform}:${letter.chat}`
  const before = newest.get(chat) ?? 0
  if (letter.seq < before) book.violate("sent in order", `${chat}: letter ${letter.seq} after ${before}`)
  newest.set(chat, letter.seq)
}

/** A link on which the far side is silent is ended within the time of its clocks. */
const silences = ({ book, farEnds, life, time, disturbedAt }: World): void => {
  for (const { id, noticedWithin } of farEnds) {
    for (const { silentSince } of life?.witnesses.get(id)?.links ?? []) {
      if (silentSince === null) continue
      const silent = time.elapsed() - Math.max(silentSince, disturbedAt)
      if (silent > noticedWithin + graceMillis) book.violate("silence is noticed", `${id}: not after ${silent} ms`)
    }
  }
}

/** Whatever platforms do, and whatever became of the occurrence before. */
const cron = ({ book, life, store, time, timetables, disturbedAt }: World): void => {
  if (store.isTroubled() || life === null) return
  if (time.elapsed() - Math.max(life.bornAt, disturbedAt) < 2 * cronMillis) return
  for (const timetable of timetables) {
    const at = newestUpTo(timetable, time.wall() - cronMillis)
    if (at !== null && !isDecided(store.rows, timetable, at)) {
      book.violate("cron is on time", `${timetable.job.id} (${timetable.job.schedule}): ${new Date(at).toISOString()}`)
    }
  }
}

const sockets = Effect.fnUntraced(function* ({ book, farEnds }: World) {
  for (const { id, sockets } of farEnds) {
    const open = yield* sockets
    if (open > 2) book.violate("two links at most", `${id}: ${open} sockets`)
  }
})

/** The longest that a platform may take to be connected once nothing hinders it, by the kind of what hindered it. */
const waitOf = (kind: string | undefined): number => {
  switch (kind) {
    case "Auth":
    case "Setup":
    case "Conflict":
    case "Defect":
      return 300_000
    case "ConnectionLimit":
      return 60_000
    default:
      // `retry.max`, or the wait that a refusal names.
      return kind === "Bootstrap" ? 20_000 : 15_000
  }
}

const stepMillis = 15_000
const slackMillis = 2_000

/** True when all platforms are connected; breaks the law where one is not by its time. `since`: when faults ended. */
export const reconnected = Effect.fnUntraced(function* (world: World, since: number, silent: boolean) {
  const { book, life, time } = world
  if (life === null) return false
  const statuses = yield* Lives.links(life)
  const down = statuses.filter(({ state }) => state !== "connected")
  for (const { id, state, lastError } of down) {
    const notice = silent ? 40_000 + graceMillis : 0
    const allowed = notice + waitOf(lastError?.kind) + stepMillis + slackMillis
    if (time.elapsed() - since > allowed) {
      book.violate("connected again", `${id}: ${state} after ${allowed} ms, ${lastError?.kind}: ${lastError?.message}`)
    }
  }
  return statuses.length === world.farEnds.length && down.length === 0
})
