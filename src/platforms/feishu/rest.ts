/** What the adapter asks of Feishu by REST: who the bot is, and that a message be sent. Outbox → **rest** → Feishu. */
import { Array as Arr, Clock, Effect, Option, Schema } from "effect"
import type { HttpClient } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { SendError, Unavailable, Unknown } from "../../domain/Errors.ts"
import { networkFailure, neverSent } from "../../domain/networkFailure.ts"
import type { Outbound, Receipt } from "../../domain/Outbound.ts"
import type { Answer } from "./call.ts"
import { call, callDeadline } from "./call.ts"
import { noReplyThere, sendFailure, staleToken } from "./codes.ts"
import type { Credentials } from "./token.ts"
import { makeTokens } from "./token.ts"

export interface Rest {
  /** A question that changes nothing, with a token: the answer as it came, whatever its code. */
  readonly get: (path: string) => Effect.Effect<Answer, SendError>
  /** The bot's own `open_id`. */
  readonly botId: Effect.Effect<string, SendError>
  /** One try; the message's id is Feishu's `uuid`, so that a repeat within an hour is one message. */
  readonly send: (message: Outbound) => Effect.Effect<Receipt, SendError>
}

const BotInfo = Schema.Struct({ bot: Schema.Struct({ open_id: Schema.NonEmptyString }) })
const Sent = Schema.Struct({ data: Schema.Struct({ message_id: Schema.NonEmptyString }) })
const decodeBotInfo = Schema.decodeUnknownOption(BotInfo)
const decodeSent = Schema.decodeUnknownOption(Sent)

export const makeRest = Effect.fnUntraced(function* (
  http: HttpClient,
  credentials: Credentials
): Effect.fn.Return<Rest> {
  const tokens = yield* makeTokens(http, credentials)

  const attempt = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const token = yield* tokens.get
    const answer = yield* once(http, HttpClientRequest.bearerToken(request, token))
    if (staleToken.has(codeOf(answer))) yield* tokens.drop(token)
    return answer
  })
  /** The code decides, not the status: Feishu may say that a token is over with a 200. */
  const ask = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const answer = yield* attempt(request)
    return staleToken.has(codeOf(answer)) ? yield* attempt(request) : answer
  })
  const along = ([road, ...others]: Roads): Effect.Effect<Answer, SendError> =>
    Effect.flatMap(ask(road()), (answer) =>
      Arr.isArrayNonEmpty(others) && noReplyThere.has(codeOf(answer)) ? along(others) : Effect.succeed(answer)
    )

  const get: Rest["get"] = (path) => ask(HttpClientRequest.get(`${credentials.base}${path}`))

  return {
    get,
    botId: Effect.flatMap(get("/open-apis/bot/v3/info"), (answer) =>
      Option.match(decodeBotInfo(answer.envelope?.body), {
        onNone: () => refused(answer),
        onSome: ({ bot }) => Effect.succeed(bot.open_id)
      })
    ),
    send: (message) =>
      Effect.flatMap(along(roadsOf(credentials.base, message)), (answer) =>
        codeOf(answer) === 0 ? Effect.succeed(receiptOf(answer)) : refused(answer)
      )
  }
})

/** NaN where there is no envelope: no code at all, and no success. */
const codeOf = (answer: Answer): number => answer.envelope?.code ?? Number.NaN

const refused = Effect.fnUntraced(function* (answer: Answer) {
  return yield* new SendError({ reason: sendFailure(answer, yield* Clock.currentTimeMillis) })
})

const receiptOf = (answer: Answer): Receipt => ({
  messageId: Option.match(decodeSent(answer.envelope?.body), {
    onNone: () => null,
    onSome: ({ data }) => data.message_id
  })
})

/** Once the request may have left, only an answer tells whether it was taken. */
const once = (http: HttpClient, request: HttpClientRequest.HttpClientRequest): Effect.Effect<Answer, SendError> =>
  call(http, request).pipe(
    Effect.mapError((error) => {
      const detail = networkFailure(error, hostOf(request.url)).message
      return new SendError({ reason: neverSent(error) ? new Unavailable({ detail }) : new Unknown({ detail }) })
    }),
    Effect.timeoutOrElse({
      duration: callDeadline,
      orElse: () => Effect.fail(new SendError({ reason: new Unknown({ detail: `no answer within ${callDeadline}` }) }))
    })
  )

const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ""

/** Ways to deliver a message, the best first; a later one is taken, and made, where the platform has no place for the reply. */
type Roads = Arr.NonEmptyReadonlyArray<() => HttpClientRequest.HttpClientRequest>

/** A reply stays in its thread; a thread is reached only by a reply, so without one the chat itself is written to. */
const roadsOf = (base: string, { address, id, replyTo, text }: Outbound): Roads => {
  const body = { msg_type: "text", content: JSON.stringify({ text: plain(text) }), uuid: id }
  const messages = `${base}/open-apis/im/v1/messages`
  const post = (url: string, fields: object) =>
    HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(url), { ...body, ...fields })
  const toChat = () =>
    HttpClientRequest.setUrlParam(post(messages, { receive_id: address.chat }), "receive_id_type", "chat_id")
  if (replyTo === null) return [toChat]
  const reply = `${messages}/${encodeURIComponent(replyTo)}/reply`
  const quoting = () => post(reply, {})
  if (address.thread === null) return [quoting, toChat]
  return [() => post(reply, { reply_in_thread: true }), quoting, toChat]
}

/** What looks like a mention is shown as it was written: an agent must not call a whole chat by accident. */
const plain = (text: string): string => text.replaceAll(/<(?=\/?at\b)/gi, "&lt;")
