/** Feishu's REST side: the endpoint, tokens, the bot, and messages that are kept so that a test can read them. */
import { Clock, Duration, Effect, Option, Queue } from "effect"
import { parseJson } from "../../platforms/feishu/content.ts"
import type { HttpAnswer, HttpAsked } from "../HttpAnswer.ts"
import { json } from "../HttpAnswer.ts"
import type { Script } from "../Script.ts"
import { makeScript } from "../Script.ts"
import type { Options } from "./options.ts"

/** A message that the bot sent. */
export interface SentMessage {
  readonly messageId: string
  /** Null for a reply, which names a message and no chat. */
  readonly chat: string | null
  readonly replyTo: string | null
  readonly inThread: boolean
  readonly text: string
  readonly uuid: string
  /** Unix milliseconds. */
  readonly at: number
}

export interface Exchange {
  readonly answer: (asked: HttpAsked) => Effect.Effect<HttpAnswer>
  /** Requests so far, by path. */
  readonly asked: (path: string) => Effect.Effect<number>
  /** In place of what Feishu would answer. */
  readonly endpoint: Script<HttpAnswer>
  readonly token: Script<HttpAnswer>
  readonly bot: Script<HttpAnswer>
  readonly scopes: Script<HttpAnswer>
  /** Of sends and replies. */
  readonly messages: Script<HttpAnswer>
  /** In place of the answer to a message that was taken all the same. */
  readonly afterwards: Script<HttpAnswer>
  /** All tokens given out so far are over. */
  readonly expireTokens: Effect.Effect<void>
  /** Messages as they are taken; a repeated `uuid` is none. */
  readonly sent: Queue.Dequeue<SentMessage>
  readonly ledger: Effect.Effect<ReadonlyArray<SentMessage>>
}

export const paths = {
  endpoint: "/callback/ws/endpoint",
  token: "/open-apis/auth/v3/tenant_access_token/internal",
  bot: "/open-apis/bot/v3/info",
  scopes: "/open-apis/application/v6/scopes",
  messages: "/open-apis/im/v1/messages"
} as const

/** Feishu remembers a `uuid` this long. */
const uuidLife = Duration.hours(1)
const kept = 10_000

export const makeExchange = Effect.fnUntraced(function* (
  options: Options,
  places: { readonly socket: () => string; readonly lines: () => number }
): Effect.fn.Return<Exchange> {
  const sent = yield* Queue.sliding<SentMessage>(kept)
  const ledger: Array<SentMessage> = []
  const byUuid = new Map<string, SentMessage>()
  const counts = new Map<string, number>()
  const tokens = new Map<string, number>()
  const lately = new Map<string, ReadonlyArray<number>>()
  const scripts = {
    endpoint: makeScript<HttpAnswer>(),
    token: makeScript<HttpAnswer>(),
    bot: makeScript<HttpAnswer>(),
    scopes: makeScript<HttpAnswer>(),
    messages: makeScript<HttpAnswer>(),
    afterwards: makeScript<HttpAnswer>()
  }
  let serial = 0

  const endpoint = (asked: HttpAsked): HttpAnswer => {
    const body = record(asked.body)
    if (body.AppID !== options.appId || body.AppSecret !== options.appSecret) return failure(1000040345, "app invalid")
    if (places.lines() >= options.connections) return failure(1000040350, "connections exceed the limit")
    // The official SDK loses the first parameter: it reads the whole address as a query.
    const query = `fpid=1&device_id=${++serial}&service_id=${options.service}&ticket=ticket-${serial}`
    return json({ code: 0, msg: "", data: { URL: `${places.socket()}?${query}`, ClientConfig: options.config } })
  }
  const token = (asked: HttpAsked, now: number): HttpAnswer => {
    const body = record(asked.body)
    if (body.app_id !== options.appId) return json({ code: 10014, msg: "app unknown" })
    if (body.app_secret !== options.appSecret) return json({ code: 10015, msg: "wrong secret" })
    const life = Duration.fromInputUnsafe(options.tokenLife)
    const granted = `t-${++serial}`
    tokens.set(granted, now + Duration.toMillis(life))
    return json({ code: 0, msg: "ok", tenant_access_token: granted, expire: Duration.toSeconds(life) })
  }
  const refusedToken = (asked: HttpAsked, now: number): HttpAnswer | null => {
    const bearer = (asked.headers.authorization ?? "").replace(/^Bearer /, "")
    if (bearer === "") return failure(99991661, "no token", 400)
    return (tokens.get(bearer) ?? 0) > now ? null : failure(99991663, "Invalid access token", 400)
  }
  const tooOften = (chat: string, now: number): boolean => {
    const recent = (lately.get(chat) ?? []).filter((at) => now - at < 1000)
    lately.set(chat, recent.length < options.chatRate ? [...recent, now] : recent)
    return recent.length >= options.chatRate
  }
  const take = Effect.fnUntraced(function* (asked: HttpAsked, now: number) {
    const message = read(asked, `om_sent_${++serial}`, now)
    if (tooOften(message.chat ?? "", now)) return failure(230020, "frequency limit of this chat", 400)
    const known = byUuid.get(message.uuid)
    if (known === undefined || now - known.at >= Duration.toMillis(uuidLife)) {
      byUuid.set(message.uuid, message)
      ledger.push(message)
      yield* Queue.offer(sent, message)
    }
    const taken = byUuid.get(message.uuid) ?? message
    const answer = json({ code: 0, msg: "success", data: { message_id: taken.messageId, chat_id: taken.chat } })
    return (yield* scripts.afterwards.take) ?? answer
  })

  const answer = Effect.fnUntraced(function* (asked: HttpAsked) {
    const now = yield* Clock.currentTimeMillis
    counts.set(asked.path, (counts.get(asked.path) ?? 0) + 1)
    switch (asked.path) {
      case paths.endpoint:
        return (yield* scripts.endpoint.take) ?? endpoint(asked)
      case paths.token:
        return (yield* scripts.token.take) ?? token(asked, now)
      case paths.bot:
        return (yield* scripts.bot.take) ?? refusedToken(asked, now) ?? json(botInfo(options))
      case paths.scopes:
        return (yield* scripts.scopes.take) ?? refusedToken(asked, now) ?? granted(options.scopes)
      default:
        if (!asked.path.startsWith(paths.messages)) return failure(404, "no such path", 404)
        return (yield* scripts.messages.take) ?? refusedToken(asked, now) ?? (yield* take(asked, now))
    }
  })
  return {
    ...scripts,
    answer,
    asked: (path) => Effect.sync(() => counts.get(path) ?? 0),
    expireTokens: Effect.sync(() => tokens.clear()),
    sent,
    ledger: Effect.sync(() => Array.from(ledger))
  }
})

/** Errors of Feishu carry an object, for its own older clients read it before the code. */
export const failure = (code: number, msg: string, status = 200): HttpAnswer => json({ code, msg, data: {} }, status)

const botInfo = ({ botId }: Options) => ({
  code: 0,
  msg: "ok",
  bot: { activate_status: 2, app_name: "bot", open_id: botId }
})

/** What the app may do; a scope that waits for an administrator is listed too. */
const granted = (scopes: ReadonlyArray<string>): HttpAnswer =>
  json({
    code: 0,
    msg: "success",
    data: { scopes: scopes.map((name) => ({ scope_name: name, scope_type: "tenant", grant_status: 1 })) }
  })

const record = (body: string): Readonly<Record<string, unknown>> => {
  const value = Option.getOrUndefined(parseJson(body))
  return typeof value === "object" && value !== null ? { ...value } : {}
}

const read = (asked: HttpAsked, messageId: string, at: number): SentMessage => {
  const body = record(asked.body)
  const replyTo = /\/messages\/([^/]+)\/reply$/.exec(asked.path)?.[1]
  return {
    messageId,
    chat: replyTo === undefined ? String(body.receive_id ?? "") : null,
    replyTo: replyTo === undefined ? null : decodeURIComponent(replyTo),
    inThread: body.reply_in_thread === true,
    text: String(record(String(body.content ?? "")).text ?? ""),
    uuid: String(body.uuid ?? messageId),
    at
  }
}
