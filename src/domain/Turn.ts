/** What an agent is asked, as the contract's JSON says it, and what it answers. */
import { Clock, Effect, Random, Schema } from "effect"
import { Attachment } from "./Inbound.ts"
import { SessionKey } from "./Session.ts"

export const TurnId = Schema.NonEmptyString.pipe(Schema.brand("TurnId"))
export type TurnId = typeof TurnId.Type

export const TurnMessage = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  /** ISO instant. */
  sentAt: Schema.String,
  ageMs: Schema.Number,
  replyTo: Schema.NullOr(Schema.String),
  attachments: Schema.Array(Attachment)
})

/** The same `turn` on every attempt, so that a receiver can tell a repeat. */
export const Turn = Schema.Struct({
  turn: TurnId,
  attempt: Schema.Int,
  session: SessionKey,
  /** An address, printed. */
  address: Schema.String,
  cause: Schema.Literals(["message", "cron"]),
  platform: Schema.Struct({ id: Schema.String, kind: Schema.String }),
  chat: Schema.Struct({ id: Schema.String, type: Schema.Literals(["direct", "group"]) }),
  sender: Schema.NullOr(
    Schema.Struct({ id: Schema.String, name: Schema.NullOr(Schema.String), admin: Schema.Boolean })
  ),
  job: Schema.NullOr(Schema.String),
  messages: Schema.Array(TurnMessage),
  history: Schema.Array(Schema.Unknown)
})
export type Turn = typeof Turn.Type

/** One message of an agent's answer. */
export const Reply = Schema.Struct({ text: Schema.String })
export type Reply = typeof Reply.Type

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const digits = (value: number, length: number): string => {
  let text = ""
  for (let rest = value, i = 0; i < length; i++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** A ULID: 48 bits of time, then 80 of chance; sorts by time. */
export const makeUlid: Effect.Effect<string> = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  let text = digits(Math.max(0, now), 10)
  for (let i = 0; i < 4; i++) text += digits(yield* Random.nextIntBetween(0, 0xfffff), 4)
  return text
})

export const makeTurnId: Effect.Effect<TurnId> = Effect.map(makeUlid, (ulid) => TurnId.make(`t_${ulid}`))
