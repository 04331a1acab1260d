/**
 * A platform in memory, far end included: it delivers what was said until it is acknowledged, takes what is sent, and
 * fails as told. In four shapes: `socket` (planned goodbye), `poll` (offset), `resume` (sequence), `reply` (answers go
 * out on the socket, so that nothing is sent while there is none).
 */
import type { Cause } from "effect"
import { Clock, Duration, Effect, Queue, Stream, SubscriptionRef } from "effect"
import { PlatformId } from "../domain/Address.ts"
import type { Access } from "../domain/access.ts"
import type { SendErrorReason } from "../domain/Errors.ts"
import { SendError, Unavailable, Unknown } from "../domain/Errors.ts"
import type { MessageArrived } from "../domain/Inbound.ts"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import { LinkError, NoCloseFrame } from "../domain/LinkError.ts"
import type { LinkSettings } from "../domain/LinkSettings.ts"
import * as LinkSettingsDefaults from "../domain/LinkSettings.ts"
import type { Outbound } from "../domain/Outbound.ts"
import type { Capabilities, Frame, Link, Liveness, Platform } from "../platforms/Platform.ts"
import { monotonicMillis } from "../domain/monotonic.ts"

export type Shape = "socket" | "poll" | "resume" | "reply"

export interface FakePlatformOptions {
  readonly id?: string
  readonly shape?: Shape
  readonly access?: Partial<Access>
  readonly settings?: Partial<LinkSettings>
  readonly capabilities?: Partial<Capabilities>
  /** Instead of the one that follows from shape and settings. */
  readonly liveness?: Liveness
  readonly fingerprint?: string
  readonly auxiliary?: boolean
}

/** What happens to a send: taken, refused, or taken while the answer is lost. */
export type SendScript = (message: Outbound) => Effect.Effect<"take" | "takeAndLoseAnswer" | SendErrorReason>

/** What happens to an attempt. */
export type ConnectScript = Effect.Effect<void, LinkErrorReason>

export interface Said {
  readonly chat?: string
  readonly sender?: string
  readonly group?: boolean
  readonly mentioned?: boolean
  readonly eventId?: string
  readonly messageId?: string
  readonly thread?: string
  readonly sentAt?: number
}

export interface FakePlatform {
  readonly platform: Platform
  /** Somebody writes; it is delivered to the link that is up, and again to each further one until it is acknowledged. */
  readonly say: (text: string, said?: Said) => Effect.Effect<MessageArrived>
  /** Delivers a message once more, as platforms do. */
  readonly repeat: (event: MessageArrived) => Effect.Effect<void>
  /** The newest link ends with this reason. */
  readonly drop: (reason?: LinkErrorReason) => Effect.Effect<void>
  /** The newest link's frames end as if all were well. */
  readonly end: Effect.Effect<void>
  readonly goAway: (detail?: string) => Effect.Effect<void>
  /** From now on the newest link hears nothing at all, or no sign of the session. */
  readonly goSilent: (clock: "path" | "session") => Effect.Effect<void>
  readonly onConnect: (script: ConnectScript) => Effect.Effect<void>
  readonly onSend: (script: SendScript) => Effect.Effect<void>
  /** The process behind the links is gone, without a word: the far end lets go of all of them. */
  readonly abandon: Effect.Effect<void>
  /** What the platform took, in order, each idempotency key once within its life where it has keys. */
  readonly sent: Effect.Effect<ReadonlyArray<Outbound>>
  readonly acked: Effect.Effect<ReadonlySet<string>>
  /** Attempts, links that came up, and links that are open now. */
  readonly counts: Effect.Effect<{ readonly attempts: number; readonly connects: number; readonly open: number }>
  readonly awaitAttempts: (atLeast: number) => Effect.Effect<void>
  readonly awaitConnects: (atLeast: number) => Effect.Effect<void>
  readonly awaitSent: (atLeast: number) => Effect.Effect<ReadonlyArray<Outbound>>
  readonly awaitAcked: (atLeast: number) => Effect.Effect<void>
}

interface Record {
  readonly attempts: number
  readonly connects: number
  readonly open: number
  readonly sent: ReadonlyArray<Outbound>
  /** How many messages. */
  readonly acked: number
}

/** An open link, from the far end. */
interface Line {
  readonly frames: Queue.Queue<Frame, LinkError | Cause.Done>
  byteAt: number
  frameAt: number
  silent: "path" | "session" | null
  /** How much of everything that was said has been on it. */
  position: number
}

const pollTime = Duration.seconds(30)
const mostWaiting = 10_000

export const make = Effect.fnUntraced(function* (options: FakePlatformOptions = {}) {
  const id = PlatformId.make(options.id ?? "fake")
  const shape = options.shape ?? "socket"
  const settings: LinkSettings = { ...LinkSettingsDefaults.defaults, ...options.settings }
  const record = yield* SubscriptionRef.make<Record>({ attempts: 0, connects: 0, open: 0, sent: [], acked: 0 })
  const backlog: Array<MessageArrived> = []
  const lines: Array<Line> = []
  const acked = new Set<string>()
  /** When each idempotency key was last new. */
  const keys = new Map<string, number>()
  let onConnect: ConnectScript = Effect.void
  let onSend: SendScript = () => Effect.succeed("take")
  let count = 0

  const update = (change: (record: Record) => Partial<Record>) =>
    SubscriptionRef.update(record, (before) => ({ ...before, ...change(before) }))

  const fail = (reason: LinkErrorReason) => new LinkError({ platform: id, reason })

  const frameOf = (event: MessageArrived, line: Line): Frame => ({
    _tag: "Arrived",
    event,
    // A dead line takes the acknowledgement and carries it nowhere.
    ack: Effect.suspend(() =>
      line.silent === "path" ? Effect.void : update(() => ({ acked: acked.add(event.eventId).size }))
    ),
    ...(shape === "resume" || shape === "poll" ? { resume: String(backlog.indexOf(event) + 1) } : {})
  })

  const push = Effect.fnUntraced(function* (line: Line | undefined, frame: (line: Line) => Frame) {
    if (line === undefined || line.silent !== null) return
    line.byteAt = line.frameAt = yield* monotonicMillis
    yield* Queue.offer(line.frames, frame(line))
  })

  /** Without a gap, for an offset stands for all before it: a link that is the newest again has missed its successor's. */
  const deliver = Effect.fnUntraced(function* (line: Line | undefined) {
    if (line === undefined || line.silent !== null) return
    const missed = backlog.slice(line.position).filter((event) => !acked.has(event.eventId))
    line.position = backlog.length
    for (const event of missed) yield* push(line, (line) => frameOf(event, line))
  })

  /** A probe or a beat arrives at the far end, which answers as long as it lives. */
  const answer = (line: Line, what: "path" | "session") =>
    Effect.map(monotonicMillis, (now) => {
      if (line.silent === "path") return
      line.byteAt = now
      if (what === "session" && line.silent === null) line.frameAt = now
    })

  const livenessOf = (line: Line): Liveness => {
    const { interval, timeout } = settings.heartbeat
    if (shape === "poll") return { path: null, session: { _tag: "Heard", within: Duration.sum(pollTime, timeout) } }
    return {
      path: { interval, timeout, ping: answer(line, "path") },
      session: {
        _tag: "Answered",
        first: Duration.zero,
        every: Effect.succeed(interval),
        within: timeout,
        beat: answer(line, "session")
      }
    }
  }

  /** Each return of a poll is a sign of life, with or without messages. */
  const polling = (line: Line) =>
    Effect.gen(function* () {
      while (true) {
        yield* Effect.sleep(pollTime)
        yield* push(line, () => ({ _tag: "Alive" }))
      }
    })

  const release = (line: Line) =>
    Effect.sync(() => lines.splice(lines.indexOf(line), 1)).pipe(
      Effect.andThen(update((before) => ({ open: before.open - 1 })))
    )

  const connect = Effect.fnUntraced(function* (resume: string | null) {
    yield* update((before) => ({ attempts: before.attempts + 1 }))
    yield* Effect.mapError(
      Effect.suspend(() => onConnect),
      fail
    )
    const now = yield* monotonicMillis
    const line: Line = {
      frames: yield* Queue.dropping<Frame, LinkError | Cause.Done>(mostWaiting),
      byteAt: now,
      frameAt: now,
      silent: null,
      position: 0
    }
    const from = shape === "resume" || shape === "poll" ? Number(resume ?? 0) : 0
    const missed = backlog.slice(from).filter((event) => !acked.has(event.eventId))
    yield* Queue.offerAll(
      line.frames,
      missed.map((event) => frameOf(event, line))
    )
    line.position = backlog.length
    // Only now is the line one that `say` delivers to, so that nothing comes twice.
    yield* Effect.acquireRelease(
      Effect.sync(() => lines.push(line)).pipe(
        Effect.andThen(update((before) => ({ connects: before.connects + 1, open: before.open + 1 })))
      ),
      () =>
        Effect.suspend(() => (lines.includes(line) ? release(line) : Effect.void)).pipe(
          Effect.andThen(Queue.shutdown(line.frames))
        )
    )
    if (shape === "poll") yield* Effect.forkScoped(polling(line))
    const link: Link = {
      host: `${id}.test`,
      frames: Stream.fromQueue(line.frames),
      liveness: options.liveness ?? livenessOf(line),
      heard: Effect.sync(() => ({ byteAt: line.byteAt, frameAt: line.frameAt })),
      server: Effect.succeed({})
    }
    return link
  })

  const take = Effect.fnUntraced(function* (message: Outbound) {
    const now = yield* monotonicMillis
    const life = capabilities.idempotencyLife
    if (life !== null && now - (keys.get(message.id) ?? Number.NEGATIVE_INFINITY) < Duration.toMillis(life)) return
    keys.set(message.id, now)
    yield* update((before) => ({ sent: [...before.sent, message] }))
  })

  const send = Effect.fnUntraced(function* (message: Outbound) {
    if (shape === "reply" && lines.at(-1) === undefined) {
      return yield* new SendError({ reason: new Unavailable({ detail: "no link to answer on" }) })
    }
    const result = yield* onSend(message)
    if (result === "take" || result === "takeAndLoseAnswer") yield* take(message)
    if (result === "take") return { messageId: `sent-${message.id}` }
    return yield* new SendError({
      reason: result === "takeAndLoseAnswer" ? new Unknown({ detail: "the answer got lost" }) : result
    })
  })

  const capabilities: Capabilities = {
    textLimit: 4_000,
    idempotencyLife: Duration.hours(1),
    accountRates: [],
    chatRates: [],
    ...options.capabilities
  }

  const say = Effect.fnUntraced(function* (text: string, said: Said = {}) {
    count++
    const event: MessageArrived = {
      _tag: "MessageArrived",
      platform: id,
      eventId: said.eventId ?? `e${count}`,
      messageId: said.messageId ?? `m${count}`,
      revision: 0,
      chat: { id: said.chat ?? "c1", type: said.group === true ? "group" : "direct" },
      thread: said.thread ?? null,
      sender: { id: said.sender ?? "u1", name: null, kind: "person" },
      text,
      attachments: [],
      mentioned: said.mentioned ?? false,
      replyTo: null,
      sentAt: said.sentAt ?? (yield* Clock.currentTimeMillis)
    }
    backlog.push(event)
    yield* deliver(lines.at(-1))
    return event
  })

  const until = (predicate: (record: Record) => boolean) =>
    SubscriptionRef.changes(record).pipe(
      Stream.filter(predicate),
      Stream.runHead,
      Effect.andThen(SubscriptionRef.get(record))
    )

  const platform: Platform = {
    id,
    kind: "fake",
    settings,
    access: { direct: "open", group: "mention", allow: [], deny: [], ...options.access },
    capabilities,
    fingerprint: options.fingerprint ?? "fake",
    ...(options.auxiliary === undefined ? {} : { auxiliary: options.auxiliary }),
    connect,
    send
  }

  const fake: FakePlatform = {
    platform,
    say,
    repeat: (event) => push(lines.at(-1), (line) => frameOf(event, line)),
    drop: (reason = new NoCloseFrame({ detail: "reset" })) =>
      Effect.suspend(() => {
        const line = lines.at(-1)
        return line === undefined ? Effect.void : Effect.asVoid(Queue.fail(line.frames, fail(reason)))
      }),
    end: Effect.suspend(() => {
      const line = lines.at(-1)
      return line === undefined ? Effect.void : Effect.asVoid(Queue.end(line.frames))
    }),
    goAway: (detail = "refresh") => push(lines.at(-1), () => ({ _tag: "GoAway", detail })),
    goSilent: (clock) =>
      Effect.sync(() => {
        const line = lines.at(-1)
        if (line !== undefined) line.silent = clock
      }),
    abandon: Effect.suspend(() => Effect.forEach(Array.from(lines), release, { discard: true })),
    onConnect: (script) => Effect.sync(() => void (onConnect = script)),
    onSend: (script) => Effect.sync(() => void (onSend = script)),
    sent: Effect.map(SubscriptionRef.get(record), ({ sent }) => sent),
    acked: Effect.sync(() => acked),
    counts: Effect.map(SubscriptionRef.get(record), ({ attempts, connects, open }) => ({ attempts, connects, open })),
    awaitAttempts: (atLeast) => Effect.asVoid(until(({ attempts }) => attempts >= atLeast)),
    awaitConnects: (atLeast) => Effect.asVoid(until(({ connects }) => connects >= atLeast)),
    awaitSent: (atLeast) =>
      Effect.map(
        until(({ sent }) => sent.length >= atLeast),
        ({ sent }) => sent
      ),
    awaitAcked: (atLeast) => Effect.asVoid(until(({ acked }) => acked >= atLeast))
  }
  return fake
})
