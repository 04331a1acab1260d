/** The events as they go over the wire, and as docs/api.md shows them. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { FeedEvent } from "../../src/actors/Feed.ts"
import { PlatformId } from "../../src/domain/Address.ts"
import { about } from "../../src/domain/Finding.ts"
import { JobId } from "../../src/domain/Job.ts"
import { SessionKey } from "../../src/domain/Session.ts"
import { encode } from "../../src/http/Events.ts"

const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8")

const platform = PlatformId.make("feishu")
const session = SessionKey.make("feishu:oc_5ad1")
const address = "feishu:oc_5ad1"
const at = Date.parse("2026-11-30T20:00:00.000Z")
const nine = Date.parse("2026-11-30T09:00:00.000Z")

/** One of each; an event that is missing here does not compile. */
const samples: { readonly [Tag in FeedEvent["_tag"]]: readonly [name: string, Extract<FeedEvent, { _tag: Tag }>] } = {
  MessageAccepted: [
    "message",
    { _tag: "MessageAccepted", address, messageId: "om_1", sender: "ou_77", text: "hello", at }
  ],
  MessageRefused: ["refused", { _tag: "MessageRefused", platform, eventId: "ev_2", reason: "bot not mentioned", at }],
  TurnStarted: ["turn", { _tag: "TurnStarted", session, turn: "t_01J", attempt: 1, at }],
  TurnEnded: ["turn", { _tag: "TurnEnded", session, turn: "t_01J", outcome: "ok", at: at + 1_000 }],
  DeliveryEnded: [
    "delivery",
    { _tag: "DeliveryEnded", id: "d_01J", address, text: "hello", state: "delivered", reason: null, at: at + 1_000 }
  ],
  LinkChanged: [
    "link",
    {
      _tag: "LinkChanged",
      platform,
      change: {
        at,
        state: "backoff",
        kind: "Dns",
        message: "open.feishu.cn does not resolve",
        attempt: 1,
        nextAttemptAt: at + 1_000
      }
    }
  ],
  RunDecided: [
    "run",
    { _tag: "RunDecided", job: JobId.make("morning"), scheduledAt: nine, outcome: "ok", reason: null, at: nine + 12 }
  ],
  DiagnosisChanged: [
    "diagnosis",
    {
      _tag: "DiagnosisChanged",
      raised: [about("feishu").fail("clock", "this machine's clock is 10m behind open.feishu.cn", "set the clock")],
      cleared: [],
      at
    }
  ]
}

describe("an event on the wire", () => {
  it.each(Object.values(samples))("has its name in a line of its own, and is in docs/api.md: %s", (name, event) => {
    const text = encode(event)

    assert.isTrue(text.startsWith(`event: ${name}\ndata: {`))
    assert.isTrue(text.endsWith("}\n\n"))
    assert.include(page, text.trim())
  })

  it("stays one event, whatever its text is", () => {
    const text = encode({ ...samples.MessageAccepted[1], text: "a\n\nevent: link\ndata: {}\r\n" })

    assert.strictEqual(text.trim().split("\n").length, 2)
  })
})
