/**
 * What a connection's messages mean to the gateway, one by one. **receive** → translate → Connection. A message that cannot
 * be read never ends the link: it is counted and, where it can be, acknowledged, for sent again it would read no better.
 */
import { Effect, Option } from "effect"
import type { MessageArrived } from "../../domain/Inbound.ts"
import type { LinkError } from "../../domain/LinkError.ts"
import type { Frame } from "../Platform.ts"
import type { SocketMessage } from "../Transport.ts"
import type { ClientConfig } from "./clientConfig.ts"
import { decodeUtf8, readPong } from "./clientConfig.ts"
import { parseJson } from "./content.ts"
import { makeFragments } from "./fragments.ts"
import type { Translated } from "./translate.ts"
import * as wire from "./wire.ts"

/** What was skipped, counted for the status. */
export type Skipped = Record<"undecodable" | "unknown" | "unfit" | "notJson" | "card" | "event", number>

export interface Receiver {
  readonly receive: (message: SocketMessage) => Frame
  readonly config: () => ClientConfig
  readonly skipped: () => Skipped
}

export interface ReceiverOptions {
  /** What the endpoint said. */
  readonly config: ClientConfig
  readonly translate: (json: unknown) => Translated
  readonly send: (bytes: Uint8Array) => Effect.Effect<void, LinkError>
  /** Monotonic. */
  readonly nowMillis: () => number
}

/** A sign of life of the session: bytes that are a frame. A front-end's own noise is none. */
export const isFrame = (message: SocketMessage): boolean =>
  typeof message !== "string" && Option.isSome(wire.decode(message))

const alive: Frame = { _tag: "Alive" }

const cardHint =
  "a card's callback came in the old way and cannot be answered: set the app's callback subscription to the long connection and publish a version"

/** Of one connection. */
export const makeReceiver = (options: ReceiverOptions): Receiver => {
  const fragments = makeFragments()
  const skipped: Skipped = { undecodable: 0, unknown: 0, unfit: 0, notJson: 0, card: 0, event: 0 }
  let config = options.config

  /** On the socket that the frame came by, with its own ids. */
  const ack = (frame: wire.WireFrame, since: number) =>
    Effect.suspend(() => options.send(wire.encode(wire.acknowledge(frame, options.nowMillis() - since))))

  const skip = (kind: keyof Skipped, what: string, ack: Effect.Effect<void, LinkError>): Frame => {
    skipped[kind]++
    return { _tag: "Ignored", what, ack }
  }

  const onControl = (frame: wire.WireFrame): Frame => {
    // A ping of the server's is answered by none of Feishu's own clients.
    if (wire.header(frame, "type") === "pong") config = { ...config, ...readPong(frame.payload) }
    return alive
  }

  const onEvent = (frame: wire.WireFrame): Frame => {
    const now = options.nowMillis()
    const assembled = fragments.add(frame, now)
    switch (assembled._tag) {
      case "Partial":
        return alive
      case "Unfit":
        return skip("unfit", "a fragment that fits nothing", Effect.void)
      case "Whole": {
        const json = parseJson(decodeUtf8(assembled.payload))
        if (Option.isNone(json)) return skip("notJson", "a payload that is not JSON", ack(frame, now))
        const translated = options.translate(json.value)
        return translated._tag === "Message"
          ? arrived(translated.event, ack(frame, now))
          : skip("event", translated.what, ack(frame, now))
      }
    }
  }

  const onCard = (frame: wire.WireFrame): Frame => {
    const hint = skipped.card === 0 ? Effect.logWarning(cardHint) : Effect.void
    return skip("card", "card", Effect.andThen(hint, ack(frame, options.nowMillis())))
  }

  const onData = (frame: wire.WireFrame): Frame => {
    const type = wire.header(frame, "type") ?? ""
    switch (type) {
      case "event":
        return onEvent(frame)
      case "card":
        return onCard(frame)
      default:
        return skip("unknown", `data of type ${type.slice(0, 64)}`, ack(frame, options.nowMillis()))
    }
  }

  const receive = (message: SocketMessage): Frame => {
    const frame = typeof message === "string" ? Option.none() : wire.decode(message)
    if (Option.isNone(frame)) return skip("undecodable", "bytes that are no frame", Effect.void)
    switch (frame.value.method) {
      case wire.method.control:
        return onControl(frame.value)
      case wire.method.data:
        return onData(frame.value)
      default:
        return skip("unknown", `method ${frame.value.method}`, Effect.void)
    }
  }

  return { receive, config: () => config, skipped: () => ({ ...skipped }) }
}

const arrived = (event: MessageArrived, ack: Effect.Effect<void, LinkError>): Frame => ({ _tag: "Arrived", event, ack })
