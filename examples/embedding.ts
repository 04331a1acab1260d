/**
 * The gateway inside another Effect app. The app brings an agent of its own and owns the runtime, the log and the stop:
 * when its scope closes, the gateway drains and closes with it.
 *
 * A chat platform is one more layer, for example
 *   Feishu.layer({ id: PlatformId.make("feishu"), appId, appSecret, domain: "feishu", access, link: LinkSettings.defaults })
 * with `Egress.layer({ proxy: "env" })` provided to it. Here the local chat stands in for one.
 */
import { Effect, Fiber, Layer, Stream } from "effect"
import { Agent, Feed, Gateway, Local, Outbox, Store } from "evergate"

/** An agent is any service from a turn to a stream of replies. */
const Shouting = Layer.succeed(
  Agent,
  Agent.of({
    turn: (turn) => Stream.fromIterable(turn.messages.map(({ text }) => ({ text: `${text.toUpperCase()}!` })))
  })
)

/** Everything that the app needs of evergate, as one layer. */
export const EvergateLayer = (options: { readonly database: string }) =>
  Local.attached.pipe(
    Layer.provideMerge(Local.layer()),
    Layer.provideMerge(Gateway.layer({ sessionScope: "chat" })),
    Layer.provide(Shouting),
    Layer.provide(Store.layerSqlite({ filename: options.database }))
  )

/** Says something in the local chat, speaks first in it too, and returns the first two messages that were delivered. */
export const program = Effect.gen(function* () {
  const { chat, say } = yield* Local
  const outbox = yield* Outbox
  const feed = yield* Feed

  const delivered = yield* feed.events.pipe(
    Stream.filter((event) => event._tag === "DeliveryEnded"),
    Stream.take(2),
    Stream.map((event) => event.text),
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true })
  )
  yield* say("hello")
  yield* outbox.post({ to: chat, text: "The app speaks first, too." })
  return yield* Fiber.join(delivered)
})
