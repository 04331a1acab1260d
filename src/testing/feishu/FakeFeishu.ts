/**
 * Feishu's side of the protocol without a network: who is connected, what was delivered and acknowledged, what came by REST.
 * `FeishuPeer` puts it on loopback, `MemoryFeishu` in memory; what a test scripts or reads is the same in both.
 */
import type { Scope } from "effect"
import { Clock, Deferred, Duration, Effect, Option, Queue, Random } from "effect"
import { parseJson } from "../../platforms/feishu/content.ts"
import type { WireFrame } from "../../platforms/feishu/wire.ts"
import * as wire from "../../platforms/feishu/wire.ts"
import type { SocketMessage } from "../../platforms/Transport.ts"
import type { Line, Upgrade } from "../Line.ts"
import { makeScript } from "../Script.ts"
import type { Script } from "../Script.ts"
import type { Delivery, UserMessage } from "./frames.ts"
import { dataFrames, messageEvent, pong } from "./frames.ts"
import type { Options } from "./options.ts"
import { defaults } from "./options.ts"
import type { Exchange } from "./routes.ts"
import { makeExchange } from "./routes.ts"

/** An acknowledgement, with the line it came by. */
export interface Ack {
  readonly delivery: string
  readonly code: number
  readonly frame: WireFrame
  readonly line: Line
}

/** A message that was said to the bot. */
export interface Said {
  readonly delivery: string
  readonly eventId: string
  readonly messageId: string
  /** Returns when it was acknowledged with 200. */
  readonly acknowledged: Effect.Effect<void>
}

/** How application pings are answered: with the config as it was or as it is from now on, or not as they should be. */
export type Pongs = "config" | Options["config"] | "empty" | "garbage" | "none"

export interface FakeFeishu {
  readonly options: Options
  readonly exchange: Exchange
  /** Says something to the bot, on one of its sockets; while there is none it waits to be delivered again. */
  readonly say: (message: UserMessage) => Effect.Effect<Said>
  /** Any payload, in any dress; null when no socket is up. */
  readonly deliver: (delivery: Omit<Delivery, "serial" | "service">) => Effect.Effect<Line | null>
  readonly lines: Effect.Effect<ReadonlyArray<Line>>
  /** Sockets as they connect. */
  readonly connected: Queue.Dequeue<Line>
  readonly acks: Queue.Dequeue<Ack>
  readonly pongs: (how: Pongs) => Effect.Effect<void>
  /** Application pings so far. */
  readonly pings: Effect.Effect<number>
  /** In place of accepting an upgrade. */
  readonly upgrades: Script<Upgrade>
  /** A socket came up; what it says goes to `receive`, until `gone`. */
  readonly attach: (line: Line) => Effect.Effect<{
    readonly receive: (message: SocketMessage) => Effect.Effect<void>
    readonly gone: Effect.Effect<void>
  }>
}

/** What is kept for a test that takes nothing. */
const kept = 10_000

/** `socket` is where sockets go, without a query; redeliveries run in the scope. */
export const make = Effect.fnUntraced(function* (
  overrides: Partial<Options> = {},
  places: { readonly socket: () => string } = { socket: () => "wss://memory.feishu.test/ws/v2" }
): Effect.fn.Return<FakeFeishu, never, Scope.Scope> {
  const options = { ...defaults, ...overrides }
  const scope = yield* Effect.scope
  const connected = yield* Queue.sliding<Line>(kept)
  const acks = yield* Queue.sliding<Ack>(kept)
  const lines = new Set<Line>()
  const waiting = new Map<string, Deferred.Deferred<void>>()
  const exchange = yield* makeExchange(options, { socket: places.socket, lines: () => lines.size })
  let pongs: Pongs = "config"
  let pings = 0
  let serial = 0

  const pick = Effect.suspend(() => {
    const all = Array.from(lines)
    return all.length === 0
      ? Effect.succeed(null)
      : Effect.map(Random.nextIntBetween(0, all.length - 1), (index) => all[index] ?? null)
  })
  const send = Effect.fnUntraced(function* (delivery: Omit<Delivery, "serial" | "service">) {
    const line = yield* pick
    if (line === null) return null
    const frames = dataFrames({ ...delivery, serial: ++serial, service: options.service })
    yield* Effect.forEach(frames, (frame) => line.push(wire.encode(frame)), { discard: true })
    return line
  })
  /** Until it is acknowledged, or Feishu has had enough. */
  const insist = Effect.fnUntraced(function* (
    delivery: Omit<Delivery, "serial" | "service">,
    done: Deferred.Deferred<void>
  ) {
    for (const wait of options.redeliver) {
      const answered = yield* Deferred.await(done).pipe(
        Effect.timeoutOption(Duration.sum(Duration.fromInputUnsafe(options.ackWithin), Duration.fromInputUnsafe(wait)))
      )
      if (Option.isSome(answered)) break
      yield* send(delivery)
    }
    waiting.delete(delivery.id)
  })
  const say = Effect.fnUntraced(function* (message: UserMessage) {
    const event = messageEvent(message, {
      appId: options.appId,
      serial: ++serial,
      nowMillis: yield* Clock.currentTimeMillis
    })
    const delivery = { id: `delivery_${serial}`, payload: utf8(JSON.stringify(event)) }
    const done = yield* Deferred.make<void>()
    waiting.set(delivery.id, done)
    yield* send(delivery)
    if (options.redeliver.length > 0) yield* Effect.forkIn(insist(delivery, done), scope)
    return {
      delivery: delivery.id,
      eventId: event.header.event_id,
      messageId: event.event.message.message_id,
      acknowledged: Deferred.await(done)
    }
  })

  const onPing = (line: Line, frame: WireFrame) => {
    pings++
    const payload = pongPayload(pongs, options)
    return payload === null ? Effect.void : line.push(wire.encode(pong(frame.service, payload)))
  }
  const onAck = Effect.fnUntraced(function* (line: Line, frame: WireFrame) {
    const delivery = wire.header(frame, "message_id") ?? ""
    const code = codeOf(frame)
    const done = waiting.get(delivery)
    if (code === 200 && done !== undefined) yield* Deferred.succeed(done, undefined)
    if (options.redeliver.length === 0) waiting.delete(delivery)
    yield* Queue.offer(acks, { delivery, code, frame, line })
  })
  const receive = (line: Line) => (message: SocketMessage) => {
    const frame = typeof message === "string" ? Option.none() : wire.decode(message)
    if (Option.isNone(frame)) return Effect.void
    if (frame.value.method === wire.method.data) return onAck(line, frame.value)
    return wire.header(frame.value, "type") === "ping" ? onPing(line, frame.value) : Effect.void
  }

  return {
    options,
    exchange,
    say,
    deliver: send,
    lines: Effect.sync(() => Array.from(lines)),
    connected,
    acks,
    pongs: (how) =>
      Effect.sync(() => {
        pongs = how
      }),
    pings: Effect.sync(() => pings),
    upgrades: makeScript<Upgrade>(),
    attach: (line) =>
      Effect.gen(function* () {
        lines.add(line)
        yield* Queue.offer(connected, line)
        return { receive: receive(line), gone: Effect.sync(() => void lines.delete(line)) }
      })
  }
})

const utf8 = (text: string) => new TextEncoder().encode(text)

/** Null: no pong at all; undefined: one without a payload. */
const pongPayload = (how: Pongs, { config }: Options): Uint8Array | undefined | null => {
  switch (how) {
    case "none":
      return null
    case "empty":
      return undefined
    case "garbage":
      return utf8('{"PingInterval":"soon"')
    case "config":
      return utf8(JSON.stringify(config))
    default:
      return utf8(JSON.stringify(how))
  }
}

const codeOf = (frame: WireFrame): number => {
  const body = Option.getOrUndefined(parseJson(new TextDecoder().decode(frame.payload ?? new Uint8Array(0))))
  return typeof body === "object" && body !== null && "code" in body ? Number(body.code) : Number.NaN
}
