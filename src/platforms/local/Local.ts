/**
 * The web chat as a platform: what is said on the page goes the same way as any message, and what is sent to it is shown
 * there. Its link is this process itself, so it is always up and counts for nothing.
 */
import { Clock, Context, Deferred, Duration, Effect, Layer, Queue, Schema, Stream } from "effect"
import { PlatformId } from "../../domain/Address.ts"
import type { Address } from "../../domain/Address.ts"
import type { MessageArrived } from "../../domain/Inbound.ts"
import type { LinkError } from "../../domain/LinkError.ts"
import * as LinkSettings from "../../domain/LinkSettings.ts"
import { makeUlid } from "../../domain/Turn.ts"
import type { Frame, Link, Platform } from "../Platform.ts"
import { PlatformHost } from "../Platform.ts"

/** The message is not kept: the gateway stops, or its store does not answer. */
export class NotHeard extends Schema.TaggedError<NotHeard>()("NotHeard", { detail: Schema.String }) {
  override get message() {
    return `the message was not kept: ${this.detail}`
  }
}

export interface LocalOptions {
  /** `local` if absent. */
  readonly id?: string
}

/** Who speaks on the page, and the name of the chat. */
export const owner = "me"

const mostWaiting = 100
const patience = Duration.seconds(10)

/** The page's side of it. Below the HTTP server, so that the page outlives the link at a stop. */
export class Local extends Context.Service<
  Local,
  {
    readonly chat: Address
    /** Returns the message's id once it is in the store. */
    readonly say: (text: string) => Effect.Effect<string, NotHeard>
    readonly platform: Platform
  }
>()("evergate/platforms/local/Local") {
  static readonly layer = (options: LocalOptions = {}): Layer.Layer<Local> =>
    Layer.effect(
      Local,
      Effect.gen(function* () {
        const id = PlatformId.make(options.id ?? "local")
        const frames = yield* Queue.dropping<Frame, LinkError>(mostWaiting)

        const say = Effect.fnUntraced(function* (text: string) {
          const kept = yield* Deferred.make<void>()
          const event = messageOf(id, `l_${yield* makeUlid}`, text, yield* Clock.currentTimeMillis)
          const ack = Effect.asVoid(Deferred.succeed(kept, undefined))
          if (!(yield* Queue.offer(frames, { _tag: "Arrived", event, ack }))) {
            return yield* new NotHeard({ detail: `${mostWaiting} messages wait already; see the store in the status` })
          }
          yield* Effect.timeoutOrElse(Deferred.await(kept), {
            duration: patience,
            orElse: () => Effect.fail(unanswered)
          })
          return event.messageId
        })

        return Local.of({ chat: { platform: id, chat: owner, thread: null }, say, platform: platformOf(id, frames) })
      })
    )

  /** Attaches it. */
  static readonly attached: Layer.Layer<never, never, Local | PlatformHost> = Layer.effectDiscard(
    Effect.gen(function* () {
      const host = yield* PlatformHost
      const local = yield* Local
      yield* host.attach(local.platform)
    })
  )
}

const unanswered = new NotHeard({
  detail: "the store did not answer in time, or the gateway stops; it may still be kept"
})

const messageOf = (platform: PlatformId, messageId: string, text: string, sentAt: number): MessageArrived => ({
  _tag: "MessageArrived",
  platform,
  eventId: messageId,
  messageId,
  revision: 0,
  chat: { id: owner, type: "direct" },
  thread: null,
  sender: { id: owner, name: null, kind: "person" },
  text,
  attachments: [],
  mentioned: true,
  replyTo: null,
  sentAt
})

const platformOf = (id: PlatformId, frames: Queue.Dequeue<Frame, LinkError>): Platform => ({
  id,
  kind: "local",
  auxiliary: true,
  settings: LinkSettings.defaults,
  access: { direct: "open", group: "all", allow: [], deny: [] },
  capabilities: { textLimit: 20_000, idempotencyLife: Duration.infinity, accountRates: [], chatRates: [] },
  fingerprint: "local",
  connect: () =>
    Effect.succeed<Link>({
      host: "this process",
      frames: Stream.fromQueue(frames),
      liveness: { path: null, session: { _tag: "None" } },
      heard: Effect.succeed({ byteAt: 0, frameAt: 0 }),
      server: Effect.succeed({})
    }),
  // The page shows what the outbox says was delivered, once an id; there is nobody else to tell.
  send: (message) => Effect.succeed({ messageId: message.id })
})
