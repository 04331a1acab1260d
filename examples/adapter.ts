/**
 * A whole adapter, for a platform that speaks JSON, one object a line, over TCP:
 *
 *   we say                          it says
 *   Hello { token }                 Welcome { bot }, or Denied { why }
 *   Ping                            Pong
 *   Ack { id }, once it is kept     Message { id, chat, direct, user, text, sentAt }
 *   Say { id, chat, text }          Said { id }; of an id that it knows nothing is said again
 *                                   Bye, some time before it goes
 *
 * It connects, declares what counts as life, and sends. Reconnecting, keeping, order and retries are the gateway's.
 */
import { Array as Arr, Cause, Clock, Deferred, Duration, Effect, Hash, Layer, Option, Queue } from "effect"
import { Redacted, Schema, Stream } from "effect"
import type { Scope } from "effect"
import type { Access, Frame, LinkErrorReason, LinkSettings, MessageArrived, Outbound } from "evergate/adapter"
import type { Platform, PlatformId, Receipt } from "evergate/adapter"
import { LinkError, LinkFailure, monotonicMillisOf, networkFailure } from "evergate/adapter"
import { PlatformHost, SendError, Unavailable, Unknown } from "evergate/adapter"
import { createConnection } from "node:net"

/** What an account of it needs to be told, beside what every platform has. */
export const settings = Schema.Struct({
  host: Schema.NonEmptyString,
  port: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })),
  token: Schema.RedactedFromValue(Schema.NonEmptyString)
})

export interface Options {
  readonly id: PlatformId
  readonly access: Access
  readonly link: LinkSettings.LinkSettings
  readonly settings: typeof settings.Type
}

// The wire: what comes, and what it means.

const Received = Schema.Union([
  Schema.TaggedStruct("Welcome", { bot: Schema.String }),
  Schema.TaggedStruct("Denied", { why: Schema.String }),
  Schema.TaggedStruct("Message", {
    id: Schema.NonEmptyString,
    chat: Schema.NonEmptyString,
    direct: Schema.Boolean,
    user: Schema.NonEmptyString,
    text: Schema.String,
    sentAt: Schema.Int
  }),
  Schema.TaggedStruct("Said", { id: Schema.String }),
  Schema.TaggedStruct("Pong", {}),
  Schema.TaggedStruct("Bye", {})
])
type Received = typeof Received.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Received))

const translate = (
  platform: PlatformId,
  bot: string,
  { id, chat, direct, user, text, sentAt }: Extract<Received, { _tag: "Message" }>
): MessageArrived => ({
  _tag: "MessageArrived",
  platform,
  eventId: id,
  messageId: id,
  revision: 0,
  chat: { id: chat, type: direct ? "direct" : "group" },
  thread: null,
  sender: { id: user, name: null, kind: user === bot ? "self" : "person" },
  text,
  attachments: [],
  mentioned: direct || text.includes(`@${bot}`),
  replyTo: null,
  sentAt
})

// The connection.

/** One TCP connection, as lines. */
interface Wire {
  /** Fails with why the connection ended, after what came before. */
  readonly lines: Queue.Dequeue<string, LinkError>
  readonly write: (value: object) => Effect.Effect<void, LinkError>
  /** Stamped when bytes arrive, however late they are taken. */
  readonly heardAt: () => number
}

const bounds = { lines: 1_000, bytes: 1024 * 1024 }

const dial = Effect.fnUntraced(function* ({
  id,
  link,
  settings: { host, port }
}: Options): Effect.fn.Return<Wire, LinkError, Scope.Scope> {
  const clock = yield* Clock.Clock
  const failed = (reason: LinkErrorReason) => new LinkError({ platform: id, reason })
  const lines = yield* Queue.dropping<string, LinkError>(bounds.lines)
  const end = (reason: LinkErrorReason) => void Queue.failCauseUnsafe(lines, Cause.fail(failed(reason)))
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => createConnection({ host, port }).setEncoding("utf8")),
    (socket) => Effect.sync(() => socket.destroy())
  )
  let heardAt = monotonicMillisOf(clock)
  let rest = ""
  socket.on("data", (text: string) => {
    heardAt = monotonicMillisOf(clock)
    const whole = `${rest}${text}`.split("\n")
    rest = whole.pop() ?? ""
    if (Queue.offerAllUnsafe(lines, whole).length === 0 && rest.length <= bounds.bytes) return
    end(new LinkFailure.Overrun({ frames: bounds.lines, bytes: rest.length }))
    socket.destroy()
  })
  socket.on("error", (error) => end(new LinkFailure.NoCloseFrame({ detail: error.message })))
  socket.on("close", () => end(new LinkFailure.NoCloseFrame({ detail: "the stream ended" })))
  yield* Effect.callback<void, LinkError>((resume) => {
    socket.once("connect", () => resume(Effect.void))
    socket.once("error", (error) => resume(Effect.fail(failed(networkFailure(error, host)))))
  }).pipe(within(id, link, "socket"))
  const write = (value: object) =>
    Effect.callback<void, LinkError>((resume) => {
      socket.write(`${JSON.stringify(value)}\n`, (error) =>
        resume(error ? Effect.fail(failed(new LinkFailure.NoCloseFrame({ detail: error.message }))) : Effect.void)
      )
    })
  return { lines, write, heardAt: () => heardAt }
})

/** Bounds a step of an attempt. */
const within =
  (platform: PlatformId, { connectTimeout }: LinkSettings.LinkSettings, step: "socket" | "handshake") =>
  <A, R>(effect: Effect.Effect<A, LinkError, R>): Effect.Effect<A, LinkError, R> =>
    Effect.timeoutOrElse(effect, {
      duration: connectTimeout,
      orElse: () => {
        const reason = new LinkFailure.ConnectTimeout({ step, afterMillis: Duration.toMillis(connectTimeout) })
        return Effect.fail(new LinkError({ platform, reason }))
      }
    })

/** Up to the platform's own handshake; returns the bot's name. A token that is refused needs a person, hence `Auth`. */
const greet = Effect.fnUntraced(function* (wire: Wire, { id, link, settings: { token } }: Options) {
  yield* wire.write({ _tag: "Hello", token: Redacted.value(token) })
  const line = yield* within(id, link, "handshake")(Queue.take(wire.lines))
  const greeting = Option.getOrUndefined(decode(line))
  if (greeting?._tag === "Welcome") return greeting.bot
  const reason =
    greeting?._tag === "Denied"
      ? new LinkFailure.Auth({ code: "Denied", detail: greeting.why })
      : new LinkFailure.Protocol({ detail: "the first line is no greeting" })
  return yield* new LinkError({ platform: id, reason })
})

// The platform.

/** How long an answer to `Say` may take. */
const patience = Duration.seconds(10)

export const make = (options: Options): Platform => {
  const { id, link, access, settings } = options
  /** Of the newest link; none while there is none. */
  let live: Wire | null = null
  /** The outbox sends one message a chat at a time, so this stays small. */
  const unanswered = new Map<string, Deferred.Deferred<void>>()

  const frameOf =
    (wire: Wire, bot: string) =>
    (line: string): Frame => {
      const received = Option.getOrUndefined(decode(line))
      switch (received?._tag) {
        case "Message": {
          const ack = wire.write({ _tag: "Ack", id: received.id })
          return { _tag: "Arrived", event: translate(id, bot, received), ack }
        }
        case "Said": {
          const said = unanswered.get(received.id)
          if (said !== undefined) Deferred.doneUnsafe(said, Effect.void)
          return { _tag: "Alive" }
        }
        case "Bye":
          return { _tag: "GoAway", detail: "the server said goodbye" }
        default:
          // A line of a later version, or of none: it shows that the far side lives, and is no reason to leave.
          return { _tag: "Alive" }
      }
    }

  const connect = Effect.fn("Lines.connect")(function* () {
    const wire = yield* dial(options)
    const bot = yield* greet(wire, options)
    yield* Effect.acquireRelease(
      Effect.sync(() => void (live = wire)),
      () => Effect.sync(() => void (live = live === wire ? null : live))
    )
    const { interval, timeout } = link.heartbeat
    return {
      host: settings.host,
      frames: Stream.mapArray(Stream.fromQueue(wire.lines), Arr.map(frameOf(wire, bot))),
      liveness: {
        // TCP has no ping of its own; the one of the session shows the path as well.
        path: null,
        session: {
          _tag: "Answered" as const,
          first: interval,
          every: Effect.succeed(interval),
          within: timeout,
          beat: wire.write({ _tag: "Ping" })
        }
      },
      heard: Effect.sync(() => ({ byteAt: wire.heardAt(), frameAt: wire.heardAt() })),
      server: Effect.succeed({ bot })
    }
  })

  const send = Effect.fn("Lines.send")(function* ({
    id,
    address,
    text
  }: Outbound): Effect.fn.Return<Receipt, SendError> {
    const failed = (reason: Unavailable | Unknown) => new SendError({ reason })
    const wire = live
    if (wire === null) return yield* failed(new Unavailable({ detail: "no link is up" }))
    const said = yield* Deferred.make<void>()
    unanswered.set(id, said)
    // What was written may have arrived, whatever happened then. The same id is sent again, and said once.
    const unknown = () => Effect.fail(failed(new Unknown({ detail: "no answer to Say" })))
    yield* wire
      .write({ _tag: "Say", id, chat: address.chat, text })
      .pipe(
        Effect.andThen(Deferred.await(said)),
        Effect.timeoutOrElse({ duration: patience, orElse: unknown }),
        Effect.catchTag("LinkError", unknown),
        Effect.ensuring(Effect.sync(() => unanswered.delete(id)))
      )
    return { messageId: id }
  })

  return {
    id,
    kind: "lines",
    settings: link,
    access,
    capabilities: {
      textLimit: 4_000,
      idempotencyLife: Duration.infinity,
      accountRates: [{ sends: 50, per: Duration.seconds(1) }],
      chatRates: []
    },
    fingerprint: String(Hash.string(JSON.stringify([settings.host, settings.port, Redacted.value(settings.token)]))),
    connect,
    send
  }
}

/** The account, connected and kept connected while the layer lives. */
export const layer = (options: Options): Layer.Layer<never, never, PlatformHost> =>
  Layer.effectDiscard(Effect.flatMap(PlatformHost, (host) => host.attach(make(options))))
