/** The configuration that is in force, and the queue of those who ask for it to be read again. HTTP → **InForce** → Reload. */
import { Clock, Context, Deferred, Duration, Effect, Layer, Queue, Ref } from "effect"
import type { Loaded } from "../config/load.ts"
import type { ConfigurationState, Misconfigured, Reloaded } from "../http/Configuration.ts"
import { Configuration } from "../http/Configuration.ts"
import { Unavailable } from "../http/problems.ts"

export type Asked = Deferred.Deferred<Reloaded, Misconfigured | Unavailable>

/** Whoever asks hears what came of it. */
export type Requests = Queue.Queue<Asked>

/** More at once are a script gone wild; they are answered that it is too much. */
const mostWaiting = 64
const patience = Duration.seconds(25)

export const makeRequests: Effect.Effect<Requests> = Queue.dropping(mostWaiting)

/** Asks for a reload; whether anybody waits for its outcome is the caller's affair. */
export const ask = (requests: Requests): Effect.Effect<Reloaded, Misconfigured | Unavailable> =>
  Effect.gen(function* () {
    const outcome = yield* Deferred.make<Reloaded, Misconfigured | Unavailable>()
    if (!(yield* Queue.offer(requests, outcome))) return yield* busy
    return yield* Effect.timeoutOrElse(Deferred.await(outcome), { duration: patience, orElse: () => Effect.fail(busy) })
  })

const busy = new Unavailable({
  what: "the configuration was not read again in time",
  where: "the gateway",
  hint: "it may be stopping; see the status"
})

/** It and what it was read from. */
interface Held extends ConfigurationState {
  readonly loaded: Loaded
}

/** What is in force. Below the HTTP side, which shows it, while the worker that moves it is above. */
export class InForce extends Context.Service<InForce, Ref.Ref<Held>>()("evergate/layers/InForce") {
  static readonly layer = (loaded: Loaded): Layer.Layer<InForce> =>
    Layer.effect(
      InForce,
      Effect.flatMap(Clock.currentTimeMillis, (loadedAt) =>
        Ref.make<Held>({ loaded, source: loaded.source, loadedAt, restartNeeded: [], error: null })
      )
    )
}

/** What the HTTP side sees of it. */
export const configuration = (requests: Requests): Layer.Layer<Configuration, never, InForce> =>
  Layer.effect(
    Configuration,
    Effect.map(InForce, (inForce) => Configuration.of({ state: Ref.get(inForce), reload: ask(requests) }))
  )
