/** What Feishu's side is like where a test says nothing else. */
import type { Duration } from "effect"

export interface Options {
  /** `cli_` and 16 hex digits, as the official SDK wants it. */
  readonly appId: string
  readonly appSecret: string
  /** ClientConfig, in seconds. */
  readonly config: {
    readonly PingInterval: number
    readonly ReconnectCount: number
    readonly ReconnectInterval: number
    readonly ReconnectNonce: number
  }
  readonly botId: string
  /** What the app was granted. */
  readonly scopes: ReadonlyArray<string>
  readonly service: number
  /** A delivery without a good acknowledgement within this is repeated, */
  readonly ackWithin: Duration.Input
  /** after these waits; empty: never. */
  readonly redeliver: ReadonlyArray<Duration.Input>
  readonly tokenLife: Duration.Input
  readonly connections: number
  /** Sends a second to one chat, all replies counting as one; past it they are refused with 230020. */
  readonly chatRate: number
}

export const defaults: Options = {
  appId: "cli_0123456789abcdef",
  appSecret: "the secret of the app",
  config: { PingInterval: 120, ReconnectCount: -1, ReconnectInterval: 1, ReconnectNonce: 0 },
  botId: "ou_bot",
  scopes: ["im:message:send_as_bot", "im:message.p2p_msg:readonly", "im:message.group_at_msg:readonly"],
  service: 33_554_678,
  ackWithin: "3 seconds",
  redeliver: ["15 seconds", "5 minutes", "1 hour", "6 hours"],
  tokenLife: "2 hours",
  connections: 50,
  chatRate: Number.POSITIVE_INFINITY
}
