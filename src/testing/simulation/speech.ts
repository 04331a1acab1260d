/** What people say in a simulation: every message has a text of its own, most are heard, some come in bursts. */
import { Effect } from "effect"
import type { FarEnd } from "./farEnd.ts"
import type { World } from "./World.ts"

const longestBurst = 4

/** Somebody says something, or a few things one after the other, in a chat of the platform. */
export const say = Effect.fnUntraced(function* (world: World, farEnd: FarEnd) {
  const { chance, book, spoken } = world
  const chat = farEnd.chats[chance.below(farEnd.chats.length)]
  if (chat === undefined) return
  const burst = chance.happens(0.2) ? chance.between(2, longestBurst) : 1
  for (let i = 0; i < burst; i++) {
    const text = `message ${book.number()}`
    spoken.push(yield* farEnd.say(chat, text, chance.happens(0.95)))
    book.note(`${text} in ${farEnd.id}:${chat}`)
  }
})
