/**
 * The HTTP listener of the service, on Node: bounded in time and size, never what a stop waits for, and listening again where
 * it was when it ended by itself.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { HttpServer } from "effect/http"
import type { Server } from "node:http"
import { supervise } from "../actors/supervise.ts"
import type { Supervision } from "../actors/Supervision.ts"
import { makeServer } from "./nodeServer.ts"

interface Place {
  readonly host: string
  readonly port: number
}

export interface ListenerOptions extends Place {
  /** What listens; absent: a server with the service's own bounds. */
  readonly make?: () => Server
}

/** The port is taken, or the address is not one of this machine. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Number,
  detail: Schema.String
}) {
  override get message() {
    return `cannot listen on ${this.host}:${this.port}: ${this.detail}; free the port or set http.port`
  }
}

/** It listened, and does not any more. */
export class ListenerEnded extends Schema.TaggedError<ListenerEnded>()("ListenerEnded", { detail: Schema.String }) {
  override get message() {
    return `the listener ended: ${this.detail}`
  }
}

/** A port may still be held by the process that was here before. */
const patience = Schedule.max([Schedule.spaced(Duration.millis(500)), Schedule.recurs(20)])
/** Open streams of events do not hold the stop. */
const graceOfRequests = Duration.millis(500)
const lookEvery = Duration.seconds(5)
const progressWithin = Duration.minutes(1)

export class Listener extends Context.Service<
  Listener,
  {
    /** Listens where it did before; where it listens, nothing happens. */
    readonly listen: Effect.Effect<void, ListenFailed>
    readonly isListening: Effect.Effect<boolean>
    /** Never returns: fails as soon as it is closed, or says that something is wrong with it. */
    readonly ended: Effect.Effect<never, ListenerEnded>
  }
>()("evergate/layers/Listener") {
  /** Listens from the start, for ten seconds tries to; what is on top of it does not begin before. */
  static readonly layer = (options: ListenerOptions): Layer.Layer<Listener | HttpServer.HttpServer, ListenFailed> =>
    Layer.effectContext(
      Effect.suspend(() => listening((options.make ?? makeServer)(), options)).pipe(
        // A retry says so, or ten silent seconds would look like a hang.
        Effect.tapError((error) =>
          Effect.logInfo("not listening yet").pipe(Effect.annotateLogs({ error: error.message }))
        ),
        Effect.retry(patience)
      )
    )

  /** Keeps it listening: its end is a crash like that of any part, and its routes stay where they are. */
  static readonly kept: Layer.Layer<never, never, Listener | Supervision> = Layer.effectDiscard(
    Effect.gen(function* () {
      const { ended, isListening, listen } = yield* Listener
      yield* supervise("http server", { progressWithin, past: "slow" })((progress) => {
        const look = Effect.gen(function* () {
          yield* progress(progressWithin)
          // A listener that is closed says so only when the last of its connections is.
          if (!(yield* isListening)) return yield* closed
          yield* Effect.sleep(lookEvery)
        })
        return Effect.andThen(listen, Effect.raceFirst(ended, Effect.forever(look)))
      })
    })
  )
}

const closed = new ListenerEnded({ detail: "it was closed" })

const listening = Effect.fnUntraced(function* (node: Server, { host, port }: Place) {
  const failed = (cause: unknown) => new ListenFailed({ host, port, detail: detailOf(cause) })
  const server = yield* NodeHttpServer.make(() => node, {
    host,
    port,
    gracefulShutdownTimeout: graceOfRequests
  }).pipe(Effect.mapError(({ cause }) => failed(cause)))
  // Also where the system picked the port.
  const place = { host, port: portOf(node) ?? port }
  const listener = Listener.of({
    listen: Effect.suspend(() => (node.listening ? Effect.void : Effect.mapError(listenAt(node, place), failed))),
    isListening: Effect.sync(() => node.listening),
    ended: endOf(node)
  })
  return Context.make(HttpServer.HttpServer, server).pipe(Context.add(Listener, listener))
})

const portOf = (node: Server): number | null => {
  const address = node.address()
  return address === null || typeof address === "string" ? null : address.port
}

/** Not to be interrupted: a listener that comes up when nobody waits for it any more would be closed by nobody. */
const listenAt = (node: Server, place: Place): Effect.Effect<void, unknown> =>
  Effect.uninterruptible(
    Effect.callback<void, unknown>((resume) => {
      const failed = (error: unknown) => {
        node.off("listening", listens)
        resume(Effect.fail(error))
      }
      const listens = () => {
        node.off("error", failed)
        resume(Effect.void)
      }
      node.once("error", failed).once("listening", listens).listen(place)
    })
  )

const endOf = (node: Server): Effect.Effect<never, ListenerEnded> =>
  Effect.callback<never, ListenerEnded>((resume) => {
    const onClose = () => resume(Effect.fail(closed))
    const onError = (error: unknown) => {
      // What it is worth now nobody knows: it makes room for a new one. Requests that are under way go on.
      node.close()
      resume(Effect.fail(new ListenerEnded({ detail: detailOf(error) })))
    }
    node.on("close", onClose).on("error", onError)
    return Effect.sync(() => node.off("close", onClose).off("error", onError))
  })

const detailOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
