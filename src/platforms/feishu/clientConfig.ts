/** What the server says of how to connect. Only the ping's interval is obeyed; the rest is shown in the status. */
import { Duration, Option, Schema } from "effect"
import { parseJson } from "./content.ts"

/** Seconds, as sent; what is absent or not a finite number above its least is not there. */
export interface ClientConfig {
  readonly pingInterval?: number
  readonly reconnectCount?: number
  readonly reconnectInterval?: number
  readonly reconnectNonce?: number
}

const Wire = Schema.Struct({
  PingInterval: Schema.optional(Schema.Unknown),
  ReconnectCount: Schema.optional(Schema.Unknown),
  ReconnectInterval: Schema.optional(Schema.Unknown),
  ReconnectNonce: Schema.optional(Schema.Unknown)
})
const decode = Schema.decodeUnknownOption(Wire)

/** Total: a config that is no config is an empty one, so that a stray pong changes nothing. */
export const readClientConfig = (value: unknown): ClientConfig =>
  Option.match(decode(value), {
    onNone: () => ({}),
    onSome: (wire) => ({
      ...number("pingInterval", wire.PingInterval, Number.MIN_VALUE),
      ...number("reconnectCount", wire.ReconnectCount, -1),
      ...number("reconnectInterval", wire.ReconnectInterval, 0),
      ...number("reconnectNonce", wire.ReconnectNonce, 0)
    })
  })

/** A pong's payload: the config, or nothing. */
export const readPong = (payload: Uint8Array | undefined): ClientConfig =>
  payload === undefined ? {} : readClientConfig(Option.getOrUndefined(parseJson(decodeUtf8(payload))))

const utf8 = new TextDecoder()

/** Bytes that are no UTF-8 become replacement characters; nothing throws. */
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes)

const number = (name: keyof ClientConfig, value: unknown, least: number) =>
  typeof value === "number" && Number.isFinite(value) && value >= least ? { [name]: value } : {}

/** Pings closer than this are asked for by no healthy server; our own setting may still be shorter. */
const leastPing = Duration.seconds(5)

/** Our own interval, or the server's where that is shorter. */
export const pingEvery = (own: Duration.Duration, config: ClientConfig): Duration.Duration =>
  config.pingInterval === undefined
    ? own
    : Duration.min(own, Duration.max(leastPing, Duration.seconds(config.pingInterval)))
