/**
 * One turn: what waits is put to the agent, and its end and its replies are written down as one. Sessions → **Session** →
 * Agent → Outbox. A turn that fails, hangs or crashes is a failed turn, no more.
 */
import { Cause, Clock, Duration, Effect, Exit, Metric, Result, Stream } from "effect"
import { Agent } from "../agents/Agent.ts"
import * as Address from "../domain/Address.ts"
import { AgentError } from "../domain/Errors.ts"
import { addressOf } from "../domain/Inbound.ts"
import { iso } from "../domain/instant.ts"
import type { Outbound } from "../domain/Outbound.ts"
import { DeliveryId } from "../domain/Outbound.ts"
import { split } from "../domain/split.ts"
import type { Reply, Turn } from "../domain/Turn.ts"
import type { InboxEntry } from "../store/InboxStore.ts"
import { InboxStore } from "../store/InboxStore.ts"
import { Feed } from "./Feed.ts"
import { Mask } from "./Mask.ts"
import { turns } from "./metrics.ts"
import { Outbox } from "./Outbox.ts"
import { Roster } from "./Roster.ts"
import type { SessionsOptions } from "./Sessions.ts"
import { Spans } from "./Spans.ts"
import { untilTheStoreAnswers } from "./untilTheStoreAnswers.ts"

const patiently = untilTheStoreAnswers("turn")

/** What one turn may say: past it the turn has failed, so that an agent that never stops does not fill the store. */
const mostReplies = 100
const mostUnits = 1_000_000

/** For a platform that is not attached any more: the smallest limit among the known ones is not asked of it. */
const defaultTextLimit = 4_000

/**
 * Makes the effect that runs the turn of an entry; it returns when the turn's end is in the store, with the session's next
 * entry, begun, where `mayGoOn` says so by then.
 */
export const make = Effect.fnUntraced(function* (options: SessionsOptions) {
  const agent = yield* Agent
  const store = yield* InboxStore
  const outbox = yield* Outbox
  const roster = yield* Roster
  const feed = yield* Feed
  const spans = yield* Spans
  const mask = yield* Mask

  const answer = (turn: Turn) =>
    // An agent is foreign code: it may throw before there is a stream.
    Stream.suspend(() => agent.turn(turn)).pipe(
      Stream.runFoldEffect(() => nothingSaid, collect),
      Effect.timeoutOrElse({
        duration: options.turnTimeout,
        orElse: () =>
          Effect.fail(
            new AgentError({ detail: `no answer within ${Duration.format(options.turnTimeout)} (agent.timeout)` })
          )
      }),
      Effect.exit
    )

  return Effect.fnUntraced(function* (entry: InboxEntry, mayGoOn: Effect.Effect<boolean>) {
    const startedAt = yield* Clock.currentTimeMillis
    const { session, turn, attempts: attempt } = entry
    yield* feed.tell({ _tag: "TurnStarted", session, turn, attempt, at: startedAt })

    const platform = roster.find(addressOf(entry.event).platform)
    const exit = yield* answer(turnOf(entry, platform?.kind, options.admins, startedAt))

    const error = Exit.isSuccess(exit) ? null : mask(failureOf(exit.cause))
    const texts = Exit.isSuccess(exit) ? exit.value.texts : [`I could not answer that: the agent failed (${turn}).`]
    const replies = repliesOf(entry, texts, platform?.capabilities.textLimit ?? defaultTextLimit)
    const endedAt = yield* Clock.currentTimeMillis
    const outcome = error === null ? "ok" : "failed"
    yield* Metric.update(turns[outcome], (endedAt - startedAt) / 1000)
    yield* spans.turn(entry, startedAt, error)
    if (error !== null) {
      yield* Effect.logError("turn failed").pipe(Effect.annotateLogs({ session, turn, attempt, cause: error }))
    }
    // The agent has answered: a store that fails now must not have it asked again.
    const end = { seq: entry.seq, outcome, error, replies, endedAt } as const
    const next = yield* patiently(Effect.flatMap(mayGoOn, (may) => store.finish(end, may ? session : undefined)))
    yield* feed.tell({ _tag: "TurnEnded", session, turn, outcome, at: endedAt })
    const to = addressOf(entry.event)
    if (replies.length > 0) yield* outbox.wake(to.platform, to.chat)
    return next
  })
})

interface Said {
  readonly texts: ReadonlyArray<string>
  readonly units: number
}

const nothingSaid: Said = { texts: [], units: 0 }

const collect = (said: Said, { text }: Reply): Effect.Effect<Said, AgentError> => {
  // An empty reply is none.
  if (text.trim() === "") return Effect.succeed(said)
  const next: Said = { texts: [...said.texts, text], units: said.units + text.length }
  return next.texts.length > mostReplies || next.units > mostUnits
    ? Effect.fail(new AgentError({ detail: `it said more than ${mostReplies} messages or ${mostUnits} characters` }))
    : Effect.succeed(next)
}

const failureOf = (cause: Cause.Cause<AgentError>): string => {
  const error = Cause.findError(cause)
  return Result.isSuccess(error) ? error.success.detail : Cause.pretty(cause)
}

/** The id of a reply is made of its turn and its place in it: the same on every attempt, and short enough for any platform. */
const repliesOf = (entry: InboxEntry, texts: ReadonlyArray<string>, limit: number): ReadonlyArray<Outbound> => {
  const { event, turn } = entry
  const replyTo = event._tag === "MessageArrived" ? event.messageId : null
  return texts
    .flatMap((text) => split(text, limit))
    .map((text, part) => ({ id: DeliveryId.make(`${turn}-${part}`), address: addressOf(event), text, replyTo }))
}

/** The contract's JSON of a turn. */
const turnOf = (
  { attempts: attempt, event, session, turn }: InboxEntry,
  kind: string | undefined,
  admins: ReadonlyArray<string>,
  now: number
): Turn => {
  const to = addressOf(event)
  const common = {
    turn,
    attempt,
    session,
    address: Address.format(to),
    platform: { id: to.platform, kind: kind ?? to.platform },
    history: []
  }
  switch (event._tag) {
    case "MessageArrived": {
      const { sender, chat, messageId, text, sentAt, replyTo, attachments } = event
      const admin = admins.includes(`${event.platform}:${sender.id}`)
      return {
        ...common,
        cause: "message",
        chat,
        sender: { id: sender.id, name: sender.name, admin },
        job: null,
        messages: [{ id: messageId, text, sentAt: iso(sentAt), ageMs: Math.max(0, now - sentAt), replyTo, attachments }]
      }
    }
    case "PromptDue":
      return {
        ...common,
        cause: "cron",
        // Where a job speaks is not known to be a direct chat.
        chat: { id: to.chat, type: "group" },
        sender: null,
        job: event.job,
        messages: [
          {
            id: `${event.job}@${iso(event.scheduledAt)}`,
            text: event.prompt,
            sentAt: iso(event.scheduledAt),
            ageMs: Math.max(0, now - event.scheduledAt),
            replyTo: null,
            attachments: []
          }
        ]
      }
  }
}
