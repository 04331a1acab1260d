/** Feishu in memory as a far end of the simulation: the real adapter connects to it, over a `Transport` without sockets. */
import { Duration, Effect, Redacted } from "effect"
import type { Scope } from "effect"
import type { PlatformId } from "../../domain/Address.ts"
import { defaults } from "../../domain/LinkSettings.ts"
import * as Feishu from "../../platforms/feishu/Feishu.ts"
import * as MemoryFeishu from "../feishu/MemoryFeishu.ts"
import type { UserMessage } from "../feishu/frames.ts"
import { defaults as far } from "../feishu/options.ts"
import { failure } from "../feishu/routes.ts"
import { hang, json, reset } from "../HttpAnswer.ts"
import type { FarEnd as FarSocket } from "../MemoryTransport.ts"
import type { Chance } from "./chance.ts"
import type { FarEnd, Refusal } from "./farEnd.ts"

const keptForRepeats = 50
/** Insists for as long as a simulation waits for what was said. */
const redeliver = Array.from({ length: 200 }, () => Duration.seconds(20))

export const make = Effect.fnUntraced(function* (
  { id, chats }: { readonly id: PlatformId; readonly chats: ReadonlyArray<string> },
  chance: Chance
): Effect.fn.Return<FarEnd, never, Scope.Scope> {
  const feishu = yield* MemoryFeishu.make({ redeliver })
  const said: Array<UserMessage> = []
  let serial = 0
  let read = 0
  let rough = false

  const say: FarEnd["say"] = Effect.fnUntraced(function* (chat, text, heard) {
    const messageId = `om_${++serial}`
    const message: UserMessage = { text, chat, chatType: heard ? "p2p" : "group", messageId, eventId: `ev_${serial}` }
    said.push(message)
    if (said.length > keptForRepeats) said.shift()
    yield* feishu.say(message)
    if (rough && chance.happens(0.2)) yield* troubleSends(feishu, chance)
    return { platform: id, messageId, heard }
  })
  const repeat = Effect.suspend(() => {
    const message = said[chance.below(said.length)]
    if (message === undefined) return Effect.void
    return feishu.say(chance.happens(0.5) ? message : { ...message, eventId: `again_${++serial}` })
  })
  const onNewest = (act: (socket: FarSocket) => Effect.Effect<void>) =>
    Effect.flatMap(feishu.sockets.open, (open) => {
      const newest = open.at(-1)
      return newest === undefined ? Effect.void : act(newest)
    })

  return {
    id,
    kind: "feishu",
    chats,
    noticedWithin: Duration.toMillis(defaults.heartbeat.interval) + Duration.toMillis(defaults.heartbeat.timeout),
    adapter: Effect.provide(Feishu.make(accountOf(id, feishu.url)), feishu.layer),
    say,
    repeat: Effect.asVoid(repeat),
    drop: onNewest((socket) => socket.drop),
    silence: (clock) => onNewest((socket) => (clock === "path" ? socket.goSilent : socket.goMute)),
    // Feishu has no goodbye but the end itself.
    goodbye: onNewest((socket) => socket.close(1001, "going away")),
    refuse: (refusal) => refuse(feishu, refusal),
    rough: (on) => Effect.sync(() => void (rough = on)),
    abandon: feishu.abandon,
    newlyTaken: Effect.map(feishu.exchange.ledger, (ledger) => {
      const fresh = ledger.slice(read)
      read = ledger.length
      return fresh.map(({ uuid, text }) => ({ id: uuid, text }))
    }),
    sockets: Effect.map(feishu.sockets.open, (open) => open.length)
  }
})

const accountOf = (id: PlatformId, domain: string): Feishu.Options => ({
  id,
  appId: far.appId,
  appSecret: Redacted.make(far.appSecret),
  domain,
  access: { direct: "open", group: "mention", allow: [], deny: [] },
  link: defaults
})

const refuse = Effect.fnUntraced(function* (
  { exchange, network, upgrades }: MemoryFeishu.MemoryFeishu,
  how: Refusal | null
) {
  yield* network("up")
  yield* exchange.endpoint.always(null)
  yield* upgrades.always(null)
  switch (how) {
    case null:
      return
    case "hanging":
      return yield* upgrades.always({ _tag: "Hang" })
    case "rejected":
      return yield* upgrades.always({ _tag: "Refuse", status: 503 })
    case "bootstrap":
      return yield* exchange.endpoint.always(failure(1, "busy"))
    case "auth":
      return yield* exchange.endpoint.always(failure(1000040345, "app invalid"))
    case "setup":
      return yield* exchange.endpoint.always(failure(1000040351, "switched off"))
    case "limit":
      return yield* exchange.endpoint.always(failure(1000040350, "connections exceed the limit"))
    case "refused":
    case "conflict":
    case "defect":
      return yield* network("refused")
  }
})

/** The next send meets this. */
const troubleSends = ({ exchange }: MemoryFeishu.MemoryFeishu, chance: Chance): Effect.Effect<void> =>
  chance.pick([
    exchange.messages.next(failure(230020, "frequency limit of this chat", 400)),
    exchange.messages.next(failure(99991400, "frequency limit of the app", 429)),
    exchange.messages.next(failure(230002, "the bot is not in the chat", 400)),
    exchange.messages.next(json({}, 503)),
    exchange.messages.next(hang),
    exchange.afterwards.next(hang),
    exchange.afterwards.next(reset),
    exchange.expireTokens
  ])
