/** Faults end, everything comes to rest within its time, and what was promised since the last time is reckoned up. */
import { Effect } from "effect"
import { pass } from "./faults.ts"
import { check, reconnected } from "./laws.ts"
import type { Entry, Letter } from "./rows.ts"
import { isDecided } from "./timetables.ts"
import type { World } from "./World.ts"

/** How far everything has been reckoned up. */
export interface Marks {
  entry: number
  letter: number
  /** The wall clock up to which cron was. */
  wall: number
}

const look = "5 seconds"
/** So that a link is stable, and its backoff begins anew. */
const leastCalmMillis = 65_000
/** The longest wait for a person's failure, then the longest turn, then the longest wait of a delivery; with room. */
const mostCalmMillis = 12 * 60_000

export const reckon = Effect.fnUntraced(function* (world: World, marks: Marks) {
  const { book, time } = world
  yield* pass(world, Number.POSITIVE_INFINITY)
  const since = time.elapsed()
  const links = Array.from(world.life?.witnesses.values() ?? []).flatMap((witness) => Array.from(witness.links))
  const silent = links.some(({ silentSince }) => silentSince !== null)
  book.note("calm")
  while (book.broken() === null) {
    yield* Effect.sleep(look)
    yield* check(world)
    const calm = time.elapsed() - since
    if ((yield* reconnected(world, since, silent)) && calm > leastCalmMillis && isAtRest(world)) break
    if (calm > mostCalmMillis) book.violate("nothing waits for ever", whatWaits(world))
  }
  if (book.broken() !== null) return
  messages(world)
  turns(world, marks)
  letters(world, marks)
  occurrences(world, marks)
  book.note("reckoned up")
})

const isAtRest = ({ store, spoken }: World): boolean => {
  const { entries, letters } = store.rows.waiting()
  return (
    entries + letters === 0 &&
    spoken.every((each) => !each.heard || store.rows.copies(each.platform, each.messageId) > 0)
  )
}

const whatWaits = ({ store, spoken }: World): string => {
  const { entries, letters } = store.rows.waiting()
  const unheard = spoken.filter((each) => each.heard && store.rows.copies(each.platform, each.messageId) === 0)
  const named = unheard.map(({ platform, messageId }) => `${platform} ${messageId}`).join(", ")
  return `${entries} turns, ${letters} letters, ${unheard.length} messages never kept ${named}`
}

/** What was said is kept once; what is not to be heard, not at all. */
const messages = (world: World): void => {
  const { book, store, spoken } = world
  for (const { platform, messageId, heard } of spoken) {
    const copies = store.rows.copies(platform, messageId)
    if (copies !== (heard ? 1 : 0)) book.violate("answered once", `${platform} ${messageId} is kept ${copies} times`)
  }
  world.spoken = []
}

/** Every turn has ended, and left behind what its last attempt said: all of it, once. */
const turns = (world: World, marks: Marks): void => {
  for (const entry of world.store.rows.entriesAfter(marks.entry)) {
    marks.entry = entry.seq
    const fault = faultOf(world, entry)
    if (fault !== null) world.book.violate("answered once", `${entry.platform} ${entry.turn}: ${fault}`)
  }
}

const faultOf = ({ agent, store }: World, { turn, endedAt, outcome }: Entry): string | null => {
  if (endedAt === null) return "it has not ended"
  const texts = store.rows.lettersOfTurn(turn).map(({ text }) => text)
  if (outcome !== "ok") return texts.length === 1 ? null : `it failed, and left ${texts.length} letters`
  const answered = agent.answered(turn)
  if (answered === undefined || answered === null) return "nobody answered, and it is ok"
  return answered.join("\n") === texts.join("\n") ? null : `${answered.join(" | ")} became ${texts.join(" | ")}`
}

/** Every letter was taken, or is dead and says why. */
const letters = (world: World, marks: Marks): void => {
  for (const letter of world.store.rows.lettersAfter(marks.letter)) {
    marks.letter = letter.seq
    account(world, letter)
  }
}

const account = ({ book, taken }: World, { id, state, lastError, text }: Letter): void => {
  const times = taken.get(id) ?? 0
  switch (state) {
    case "pending":
      return book.violate("nothing waits for ever", `${id} (${text})`)
    case "delivered":
      if (times === 0) book.violate("answered once", `${id} is delivered, and nobody took it (${text})`)
      return
    case "dead":
      if (lastError === null || lastError === "") book.violate("a dead letter has its reason", id)
  }
}

/** Each occurrence was decided, and what came of jobs was decided before. */
const occurrences = ({ book, store, time, timetables }: World, marks: Marks): void => {
  const until = time.wall() - 12_000
  for (const timetable of timetables) {
    const { job, periodMillis, anchorMillis } = timetable
    const from = Math.max(marks.wall, job.createdAt)
    const first = anchorMillis + (Math.floor((from - anchorMillis) / periodMillis) + 1) * periodMillis
    for (let at = first; at <= until; at += periodMillis) {
      if (!isDecided(store.rows, timetable, at)) {
        book.violate("cron skips nothing", `${job.id} (${job.schedule}): ${new Date(at).toISOString()}`)
      }
    }
  }
  marks.wall = Math.max(marks.wall, until)
  const [unfounded] = store.rows.unfounded()
  if (unfounded !== undefined) book.violate("cron is decided once", unfounded)
}
