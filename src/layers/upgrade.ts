/** The way from a new `ws` client to an open one, or to the reason why it did not open. */
import { Clock, Effect, Option } from "effect"
import type { IncomingMessage } from "node:http"
import type { WebSocket } from "ws"
import type { LinkError, LinkErrorReason } from "../domain/LinkError.ts"
import { HandshakeRejected, Network } from "../domain/LinkError.ts"
import { networkFailure } from "../domain/networkFailure.ts"
import { retryAfter } from "../domain/retryAfter.ts"
import type { OpenOptions } from "../platforms/Transport.ts"
import { linkError } from "./Arrivals.ts"

/** Returns when the socket is open. */
export const upgraded = (socket: WebSocket, host: string, options: OpenOptions): Effect.Effect<void, LinkError> =>
  Effect.callback<void, LinkErrorReason>((resume) => {
    const listeners = {
      open: () => settle(Effect.void),
      error: (error: Error) => settle(Effect.fail(networkFailure(error, host))),
      close: () => settle(Effect.fail(new Network({ detail: "the connection ended before the upgrade" }))),
      "unexpected-response": (_: unknown, response: IncomingMessage) =>
        settle(Effect.flatMap(rejection(response, options.onRejected), Effect.fail))
    }
    const leave = () => {
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener)
    }
    const settle = (outcome: Effect.Effect<void, LinkErrorReason>) => {
      leave()
      resume(outcome)
    }
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener)
    return Effect.sync(leave)
  }).pipe(Effect.mapError((reason) => linkError(options.platform, reason)))

/** What a refusal says: the adapter reads it first, for platforms put their own codes into headers. */
const rejection = Effect.fnUntraced(function* (response: IncomingMessage, read: OpenOptions["onRejected"]) {
  const status = response.statusCode ?? 0
  const known = read?.(status, response.headers)
  if (known !== undefined) return known
  const body = yield* excerpt(response).pipe(Effect.timeoutOption("1 second"))
  const wait = retryAfter(response.headers["retry-after"], yield* Clock.currentTimeMillis)
  return new HandshakeRejected({
    status,
    detail: Option.getOrElse(body, () => "") || (response.statusMessage ?? ""),
    ...(wait === undefined ? {} : { retryAfterMillis: wait })
  })
})

/** The beginning of the body, on one line. */
const excerpt = (response: IncomingMessage): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const done = (chunk?: Buffer) => {
      response.destroy()
      resume(Effect.succeed((chunk ?? "").toString().slice(0, 200).replaceAll(/\s+/g, " ").trim()))
    }
    response.once("data", done)
    response.once("end", () => done())
    response.on("error", () => done())
  })
