import { assert, describe, it } from "@effect/vitest"
import { PlatformId } from "../../src/domain/Address.ts"
import { answerOf } from "../../src/http/traceAnswer.ts"
import { stepsOf } from "../../src/http/traceSteps.ts"
import type { DeliveryRow, Traced, TracedEntry } from "../../src/store/TraceStore.ts"

const at = { platform: PlatformId.make("feishu"), chat: "oc_1", thread: null }

const delivery = (change: Partial<DeliveryRow> = {}): DeliveryRow => ({
  ...at,
  id: "t_1-0",
  state: "delivered",
  attempts: 1,
  createdAt: 3000,
  notBefore: 3000,
  endedAt: 4000,
  unknown: 0,
  messageId: "om_sent",
  replyTo: "om_1",
  lastError: null,
  ahead: 0,
  ...change
})

const entry = (change: Partial<TracedEntry> = {}): TracedEntry => ({
  ...at,
  seq: 1,
  eventId: "e1",
  messageId: "om_1",
  revision: 0,
  session: "feishu:oc_1",
  turn: "t_1",
  job: null,
  scheduledAt: null,
  receivedAt: 1000,
  copies: 0,
  attempts: 1,
  begunAt: 2000,
  endedAt: 3000,
  outcome: "ok",
  error: null,
  linkSince: 0,
  before: [],
  replies: [delivery()],
  ...change
})

const nothing: Traced = { entries: [], refused: [], deliveries: [] }
const of = (change: Partial<TracedEntry>): Traced => ({ ...nothing, entries: [entry(change)] })
const refused = (reason: string): Traced => ({
  ...nothing,
  refused: [{ platform: "feishu", eventId: "e1", messageId: "om_1", reason, at: 1000 }]
})
const notYet = { attempts: 0, begunAt: null, endedAt: null, outcome: null, replies: [] } as const
const pending = { state: "pending", endedAt: null, attempts: 0 } as const

describe("why did the bot not reply?", () => {
  it.each<readonly [string, Traced, RegExp]>([
    ["answered", of({}), /^The answer was delivered: 1 message, the last at 1970-01-01T00:00:04.000Z\.$/],
    ["perhaps twice", of({ replies: [delivery({ unknown: 1 })] }), /it may be there twice\.$/],
    ["nothing to say", of({ replies: [] }), /^Not answered: the agent had nothing to say/],
    [
      "failed",
      of({ outcome: "failed", error: "503\n at x" }),
      /^Not answered: its turn failed: 503\. What the chat was told/
    ],
    ["failed, and silent", of({ outcome: "failed", error: "503", replies: [] }), /The chat was told nothing\.$/],
    [
      "running",
      of({ ...notYet, attempts: 2, begunAt: 2000 }),
      /its turn t_1 runs since 1970-01-01T00:00:02.000Z, attempt 2\.$/
    ],
    ["not begun", of(notYet), /its turn has not begun; its platform is stopped, or as many turns/],
    [
      "queued behind one that runs",
      of({ ...notYet, before: [{ turn: "t_0", begunAt: 1000 }] }),
      /^Not answered yet: it waits behind 1 turn of its session, of which t_0 runs since 1970-01-01T00:00:01.000Z\.$/
    ],
    [
      "queued behind two that wait",
      of({ ...notYet, before: ["t_0", "t_9"].map((turn) => ({ turn, begunAt: null })) }),
      /it waits behind 2 turns of its session, of which t_0 has not begun\.$/
    ],
    [
      "dead",
      of({ replies: [delivery(), delivery({ id: "t_1-1", state: "dead", lastError: "refused (230002)" })] }),
      /^The answer was not delivered: refused \(230002\); `evergate outbox retry t_1-1` sends it again\.$/
    ],
    [
      "waiting for another try",
      of({ replies: [delivery({ ...pending, attempts: 3, notBefore: 9000, lastError: "not sent: no route" })] }),
      /^The answer is not delivered yet: not sent: no route; after 3 tries the next is at 1970-01-01T00:00:09.000Z\.$/
    ],
    [
      "behind others of its chat",
      of({ replies: [delivery({ ...pending, ahead: 2 })] }),
      /yet: 2 messages of its chat go first\.$/
    ],
    ["waiting for its first try", of({ replies: [delivery(pending)] }), /it waits for its first try\.$/],
    [
      "F226: not mentioned",
      refused("bot not mentioned"),
      /^Not answered: feishu refused it, "bot not mentioned"\. .*access\.group: mention/
    ],
    ["F226: on deny", refused("sender is on deny"), /`access\.deny` names/],
    ["F226: not on allow", refused("sender is not on allow"), /`access\.direct` is `allowlist`/],
    ["F226: its own", refused("own message"), /does not answer itself/],
    ["F226: for a reason of another version", refused("the moon"), /"the moon"\. See `access`/],
    ["posted", { ...nothing, deliveries: [delivery()] }, /^The message was delivered/],
    [
      "an edit of what was answered",
      { ...of({}), refused: refused("edited message").refused },
      /^The answer was delivered/
    ]
  ])("says of one that is %s what became of it", (_, traced, answer) => {
    assert.match(answerOf(traced) ?? "", answer)
  })

  it("has no answer where nothing is known", () => {
    assert.isNull(answerOf(nothing))
  })

  it("tells the steps in the order of their happening", () => {
    const steps = stepsOf({ ...of({ copies: 2, attempts: 3 }), refused: refused("edited message").refused })

    assert.deepStrictEqual(
      steps.map(({ what }) => what),
      [
        "received from feishu, whose link was up since 1970-01-01T00:00:00.000Z; it came 2 more times, and was dropped then",
        "refused by feishu: edited message",
        "turn t_1 begun, attempt 3",
        "turn ended, replies: 1",
        "t_1-0 delivered as om_sent, tries: 1"
      ]
    )
  })
})
