/** The platform in memory as a far end of the simulation, in one of its four shapes. */
import { Duration, Effect } from "effect"
import type { PlatformId } from "../../domain/Address.ts"
import { RateLimited, Rejected, Unavailable } from "../../domain/Errors.ts"
import type { MessageArrived } from "../../domain/Inbound.ts"
import type { LinkErrorReason } from "../../domain/LinkError.ts"
import {
  Auth,
  Bootstrap,
  Conflict,
  ConnectionLimit,
  ConnectionRefused,
  ConnectTimeout,
  HandshakeRejected,
  Setup
} from "../../domain/LinkError.ts"
import { defaults } from "../../domain/LinkSettings.ts"
import * as Fake from "../FakePlatform.ts"
import type { Chance } from "./chance.ts"
import type { FarEnd, Refusal } from "./farEnd.ts"

export interface FakeFarEndOptions {
  readonly id: PlatformId
  readonly shape: Fake.Shape
  readonly chats: ReadonlyArray<string>
  /** Whether the platform tells a repeated send by its key. */
  readonly remembers: boolean
}

const heartbeat = Duration.toMillis(defaults.heartbeat.interval) + Duration.toMillis(defaults.heartbeat.timeout)
const keptForRepeats = 50

export const make = Effect.fnUntraced(function* (options: FakeFarEndOptions, chance: Chance) {
  const { id, shape, chats, remembers } = options
  const fake = yield* Fake.make({
    id,
    shape,
    capabilities: remembers ? { idempotencyLife: Duration.hours(1) } : { idempotencyLife: null }
  })
  const said: Array<MessageArrived> = []
  let repeats = 0
  let read = 0

  const say: FarEnd["say"] = Effect.fnUntraced(function* (chat, text, heard) {
    const event = yield* fake.say(text, { chat, sender: `u-${chat}`, group: !heard })
    said.push(event)
    if (said.length > keptForRepeats) said.shift()
    return { platform: id, messageId: event.messageId, heard }
  })
  const repeat = Effect.suspend(() => {
    const event = said[chance.below(said.length)]
    if (event === undefined) return Effect.void
    return fake.repeat(chance.happens(0.5) ? event : { ...event, eventId: `again-${++repeats}` })
  })
  const newlyTaken = Effect.map(fake.sent, (sent) => {
    const fresh = sent.slice(read)
    read = sent.length
    return fresh
  })

  const farEnd: FarEnd = {
    id,
    kind: shape,
    chats,
    noticedWithin: shape === "poll" ? 40_000 : heartbeat,
    adapter: Effect.succeed(fake.platform),
    say,
    repeat,
    drop: fake.drop(),
    silence: fake.goSilent,
    goodbye: fake.goAway(),
    refuse: (refusal) => fake.onConnect(refusal === null ? Effect.void : attemptOf(refusal)),
    rough: (on) => fake.onSend(on ? () => sendOf(chance) : () => Effect.succeed("take")),
    abandon: fake.abandon,
    newlyTaken,
    sockets: Effect.map(fake.counts, ({ open }) => open)
  }
  return farEnd
})

const attemptOf = (refusal: Refusal): Fake.ConnectScript => {
  const because = (reason: LinkErrorReason) => Effect.fail(reason)
  switch (refusal) {
    case "refused":
      return because(new ConnectionRefused({ address: "far.test:443" }))
    case "hanging": {
      const afterMillis = Duration.toMillis(defaults.connectTimeout)
      return Effect.delay(because(new ConnectTimeout({ step: "socket", afterMillis })), defaults.connectTimeout)
    }
    case "rejected":
      return because(new HandshakeRejected({ status: 503, detail: "busy" }))
    case "bootstrap":
      return because(new Bootstrap({ code: "1", detail: "busy", retryAfterMillis: 20_000 }))
    case "auth":
      return because(new Auth({ code: "401", detail: "no" }))
    case "setup":
      return because(new Setup({ code: "403", detail: "no", hint: "switch it on" }))
    case "limit":
      return because(new ConnectionLimit({ code: "429", detail: "too many" }))
    case "conflict":
      return because(new Conflict({ detail: "another client" }))
    case "defect":
      return Effect.die(new Error("a bug in the adapter"))
  }
}

/** What may become of a send; most are simply taken. */
const sendOf = (chance: Chance): ReturnType<Fake.SendScript> => {
  const retryAfterMillis = chance.between(100, 20_000)
  const scope = chance.pick(["chat", "account"])
  const troubles: readonly [ReturnType<Fake.SendScript>, ...ReadonlyArray<ReturnType<Fake.SendScript>>] = [
    Effect.succeed("takeAndLoseAnswer"),
    Effect.succeed(new RateLimited({ detail: "too fast", retryAfterMillis, scope })),
    Effect.succeed(new Unavailable({ detail: "busy" })),
    Effect.succeed(new Rejected({ code: "400", detail: "never" })),
    Effect.as(Effect.sleep(Duration.millis(retryAfterMillis)), "take"),
    Effect.die(new Error("a bug in sending"))
  ]
  return chance.happens(0.7) ? Effect.succeed("take") : chance.pick(troubles)
}
