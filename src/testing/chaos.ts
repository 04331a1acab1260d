/**
 * A demonstration of what this is for: two accounts at peers on loopback whose links are killed, frozen and refused by a
 * script, while people talk to them. The ledger says what became of every message.
 */
import { Clock, Duration, Effect, Queue, Schedule } from "effect"
import type { Scope } from "effect"
import { iso } from "../domain/instant.ts"
import type { Act } from "./chaosActs.ts"
import { acts } from "./chaosActs.ts"
import type { FeishuPeer } from "./feishu/FeishuPeer.ts"
import * as Peer from "./feishu/FeishuPeer.ts"

/** One thing that is done to a link; instants are ISO 8601. */
export interface Fault {
  readonly platform: string
  readonly what: string
  readonly at: string
  /** When the platform saw a new connection; null while it did not. */
  readonly backAt: string | null
}

export interface Ledger {
  readonly sent: number
  readonly answered: number
  /** Not answered yet. */
  readonly waiting: number
  /** Without an answer for so long that none will come. */
  readonly lost: number
  /** Answered more than once. */
  readonly twice: number
  /** Newest first. */
  readonly faults: ReadonlyArray<Fault>
}

export interface Chaos {
  /** Settings of the accounts, as a configuration has them. */
  readonly platforms: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly ledger: Effect.Effect<Ledger>
  /** The talk and the script, from when an account is first connected; what is interrupted in it is released. */
  readonly storm: Effect.Effect<never>
}

export interface ChaosOptions {
  /** Between two faults. */
  readonly peace: Duration.Duration
  /** How long a fault is held that does not end by itself. */
  readonly hold: Duration.Duration
  /** Between two messages of a platform. */
  readonly pause: Duration.Duration
  /** Past this without an answer a message is lost. */
  readonly patience: Duration.Duration
  readonly accounts: ReadonlyArray<string>
}

/** As the demonstration has it. */
export const calm: ChaosOptions = {
  peace: Duration.seconds(9),
  hold: Duration.seconds(11),
  pause: Duration.millis(700),
  patience: Duration.minutes(2),
  accounts: ["work", "family"]
}

const chats = 10
const faultsKept = 50

/** Feishu tries again what was not acknowledged; here it is in more of a hurry. */
const redeliver = Array.from({ length: 60 }, () => Duration.seconds(2))

interface Account {
  readonly id: string
  readonly peer: FeishuPeer
  /** When each message was said, by its id. */
  readonly said: Map<string, number>
}

/** Starts the peers; they end with the scope. */
export const make = Effect.fnUntraced(function* (
  options: ChaosOptions = calm
): Effect.fn.Return<Chaos, never, Scope.Scope> {
  const accounts = yield* Effect.forEach(options.accounts, (id, index) =>
    Effect.map(
      Peer.make({ appId: `cli_c4a05c4a05c4a0${index}5`, appSecret: `a secret of ${id}`, redeliver }),
      (peer): Account => ({ id, peer, said: new Map() })
    )
  )
  let faults: ReadonlyArray<Fault> = []

  let serial = 0
  const talk = ({ peer, said }: Account) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      serial++
      // Another demonstration in the same home has said its own.
      const [messageId, eventId] = [`om_${now}_${serial}`, `ev_${now}_${serial}`]
      said.set(messageId, now)
      yield* peer.say({ text: `message ${serial}`, chat: `oc_${serial % chats}`, messageId, eventId })
    }).pipe(Effect.repeat(Schedule.spaced(options.pause)))

  const trouble = Effect.fnUntraced(function* ({ id, peer }: Account, act: Act) {
    yield* Effect.sleep(options.peace)
    yield* Queue.clear(peer.connected)
    const fault: Fault = { platform: id, what: act.what, at: iso(yield* Clock.currentTimeMillis), backAt: null }
    faults = [fault, ...faults].slice(0, faultsKept)
    const { begin, release } = act
    yield* release === undefined
      ? begin(peer)
      : Effect.acquireUseRelease(
          begin(peer),
          () => Effect.sleep(options.hold),
          () => release(peer)
        )
    yield* Queue.take(peer.connected)
    const backAt = iso(yield* Clock.currentTimeMillis)
    faults = faults.map((known) => (known === fault ? { ...fault, backAt } : known))
  })
  /** One account begins in the middle of the script, so that the two are not in trouble with the same. */
  const script = (account: Account, index: number) => {
    const own = [...acts.slice(index * 2), ...acts.slice(0, index * 2)]
    return Effect.forever(Effect.forEach(own, (act) => trouble(account, act), { discard: true }))
  }

  const connected = ({ peer }: Account) =>
    Effect.flatMap(peer.lines, (lines) => (lines.length > 0 ? Effect.void : Effect.asVoid(Queue.take(peer.connected))))
  const storm = Effect.andThen(
    Effect.forEach(
      accounts,
      (account, index) =>
        Effect.andThen(connected(account), Effect.all([talk(account), script(account, index)], { concurrency: 2 })),
      { concurrency: "unbounded" }
    ),
    Effect.never
  )

  const ledger = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const all = yield* Effect.forEach(accounts, reckoned(now - Duration.toMillis(options.patience)))
    const total = (of: (each: Reckoned) => number) => all.reduce((sum, each) => sum + of(each), 0)
    return {
      sent: total(({ sent }) => sent),
      answered: total(({ answered }) => answered),
      waiting: total(({ waiting }) => waiting),
      lost: total(({ lost }) => lost),
      twice: total(({ twice }) => twice),
      faults
    }
  })
  return { platforms: accounts.map(settingsOf), ledger, storm }
})

interface Reckoned {
  readonly sent: number
  readonly answered: number
  readonly waiting: number
  readonly lost: number
  readonly twice: number
}

/** By what the platform itself was sent, not by what the gateway says of it. */
const reckoned =
  (lostBefore: number) =>
  ({ peer, said }: Account): Effect.Effect<Reckoned> =>
    Effect.map(peer.exchange.ledger, (sent) => {
      const replies = sent.flatMap(({ replyTo }) => (replyTo === null ? [] : [replyTo]))
      const answered = new Set(replies)
      const open = Array.from(said).filter(([id]) => !answered.has(id))
      const lost = open.filter(([, at]) => at < lostBefore).length
      return {
        sent: said.size,
        answered: answered.size,
        waiting: open.length - lost,
        lost,
        twice: replies.length - answered.size
      }
    })

const settingsOf = ({ id, peer }: Account) => ({
  id,
  kind: "feishu",
  appId: peer.options.appId,
  appSecret: peer.options.appSecret,
  domain: peer.url,
  proxy: "none",
  access: { direct: "open", group: "all" },
  link: { heartbeat: { interval: "4s", timeout: "3s" } }
})
