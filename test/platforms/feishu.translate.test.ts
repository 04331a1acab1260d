/** Wire → domain, as tables. */
import { assert, describe, it } from "@effect/vitest"
import { PlatformId } from "../../src/domain/Address.ts"
import type { Reader } from "../../src/platforms/feishu/translate.ts"
import { translate } from "../../src/platforms/feishu/translate.ts"
import type { UserMessage } from "../../src/testing/feishu/frames.ts"
import { messageEvent } from "../../src/testing/feishu/frames.ts"

const reader: Reader = {
  platform: PlatformId.make("feishu"),
  appId: "cli_0123456789abcdef",
  botId: "ou_bot",
  nowMillis: 2_000
}

const event = (said: UserMessage) => messageEvent(said, { appId: reader.appId, serial: 1, nowMillis: 1_000 })

const heard = (said: UserMessage, as: Reader = reader) => {
  const translated = translate(event(said), as)
  assert(translated._tag === "Message")
  return translated.event
}

describe("translate", () => {
  it("says all that the gateway asks of a message", () => {
    const message = heard({ text: "hi", chat: "oc_1", sender: "ou_1", thread: "omt_1", parent: "om_0" })

    assert.deepStrictEqual(message, {
      _tag: "MessageArrived",
      platform: reader.platform,
      eventId: "ev_1",
      messageId: "om_1",
      revision: 0,
      chat: { id: "oc_1", type: "direct" },
      thread: "omt_1",
      sender: { id: "ou_1", name: null, kind: "person" },
      text: "hi",
      attachments: [],
      mentioned: false,
      replyTo: "om_0",
      sentAt: 1_000
    })
  })

  it.each<[string, UserMessage, string]>([
    ["text", { text: " hi " }, "hi"],
    ["a link", { text: "see [docs](https://a.test)" }, "see [docs](https://a.test)"],
    [
      "rich text",
      {
        type: "post",
        content: {
          title: "Plan",
          content: [
            [
              { tag: "text", text: "see " },
              { tag: "a", text: "docs", href: "https://a.test" },
              { tag: "at", user_id: "@_user_9", user_name: "Ann" }
            ],
            [{ tag: "img", image_key: "img_1" }],
            [{ tag: "code_block", language: "GO", text: "x := 1" }],
            [{ tag: "hr" }, { tag: "emotion", emoji_type: "SMILE" }, { tag: "new", text: "?" }]
          ]
        }
      },
      "Plan\nsee docs (https://a.test)@Ann\n[image]\n```go\nx := 1\n```\n---[SMILE]?"
    ],
    [
      "a card",
      {
        type: "interactive",
        content: {
          title: "Card",
          elements: [
            [
              { tag: "text", text: "body" },
              { tag: "button", text: "Go" }
            ]
          ]
        }
      },
      "Card\nbodyGo"
    ],
    ["an empty card", { type: "interactive", content: {} }, "[interactive]"]
  ])("F187: reads %s as text", (_, said, text) => {
    assert.strictEqual(heard(said).text, text)
  })

  it.each<[string, UserMessage, string, ReadonlyArray<unknown>]>([
    ["image", { content: { image_key: "k" } }, "[image]", [{ kind: "image", key: "k", name: null }]],
    ["file", { content: { file_key: "k", file_name: "a.pdf" } }, "[file]", [{ kind: "file", key: "k", name: "a.pdf" }]],
    ["audio", { content: { file_key: "k", duration: 1 } }, "[audio]", [{ kind: "audio", key: "k", name: null }]],
    ["media", { content: { file_key: "k", image_key: "c" } }, "[media]", [{ kind: "media", key: "k", name: null }]],
    ["sticker", { content: { file_key: "k" } }, "[sticker]", [{ kind: "sticker", key: "k", name: null }]],
    ["folder", { content: {} }, "[folder]", [{ kind: "folder", key: null, name: null }]],
    ["location", { content: { name: "Park", longitude: "1" } }, "[location] Park", []],
    ["merge_forward", { content: "Merged and Forwarded Message" }, "[merge_forward]", []],
    ["share_chat", { content: { chat_id: "oc_2" } }, "[share_chat] oc_2", []],
    ["vote", { content: { topic: "Lunch?", options: [] } }, "[vote] Lunch?", []],
    ["of_tomorrow", { content: { a: 1 } }, "[of_tomorrow]", []]
  ])("F187: a %s leaves a placeholder and what it can be fetched by", (type, said, text, attachments) => {
    const message = heard({ type, ...said })

    assert.strictEqual(message.text, text)
    assert.deepStrictEqual(message.attachments, attachments)
  })

  it("F239: its own mention is an address and is left out, others are named, @all stays and is no mention", () => {
    const mentions = [
      { key: "@_user_1", id: "ou_bot", name: "Bot" },
      { key: "@_user_2", id: "ou_2", name: "Ann" },
      { key: "@_user_12", id: "ou_3", name: "Bob" }
    ]

    const named = heard({ chatType: "group", text: "@_user_1 ask @_user_2 and @_user_12, not @_user_3", mentions })
    const all = heard({ chatType: "group", text: "@_all hi" })

    assert.strictEqual(named.text, "ask @Ann and @Bob, not @_user_3")
    assert.isTrue(named.mentioned)
    assert.strictEqual(all.text, "@all hi")
    assert.isFalse(all.mentioned)
  })

  it("F239: a mention inside a thread counts as any other", () => {
    const mentions = [{ key: "@_user_1", id: "ou_bot", name: "Bot" }]

    assert.isTrue(heard({ chatType: "group", thread: "omt_1", text: "@_user_1 hi", mentions }).mentioned)
  })

  it("takes a mention of any bot for its own while it does not know its id", () => {
    const json = event({ chatType: "group", text: "@_user_1 hi" })
    const mentions = [{ key: "@_user_1", name: "Bot", mentioned_type: "bot", id: { open_id: "ou_any" } }]
    const message = { ...json.event.message, mentions }

    const translated = translate({ ...json, event: { ...json.event, message } }, { ...reader, botId: null })

    assert(translated._tag === "Message")
    assert.isTrue(translated.event.mentioned)
    assert.strictEqual(translated.event.text, "hi")
  })

  it.each<[string, UserMessage, string]>([
    ["the bot itself", { sender: "ou_bot", senderType: "bot" }, "self"],
    ["the app itself", { sender: reader.appId, senderType: "app" }, "self"],
    ["another bot", { sender: "ou_other", senderType: "bot" }, "bot"],
    ["a kind that is not known", { sender: "ou_x", senderType: "ghost" }, "bot"],
    ["a person", { sender: "ou_1" }, "person"]
  ])("F238: knows %s by its kind", (_, said, kind) => {
    assert.strictEqual(heard(said).sender.kind, kind)
  })

  it.each<[string, unknown, string]>([
    [
      "another event",
      { header: { event_id: "e", event_type: "im.message.recalled_v1" }, event: {} },
      "im.message.recalled_v1"
    ],
    ["F127: an edit", { header: { event_id: "e", event_type: "im.message.updated_v1" } }, "im.message.updated_v1"],
    [
      "an event of schema 1.0",
      { uuid: "u", type: "event_callback", event: { type: "p2p_chat_create" } },
      "p2p_chat_create"
    ],
    ["no event", {}, "an event without a type"],
    ["a number", 7, "an event without a type"],
    ["null", null, "an event without a type"],
    ["a list", [], "an event without a type"],
    [
      "a message without an id",
      {
        header: { event_id: "e", event_type: "im.message.receive_v1" },
        event: { sender: {}, message: { chat_id: "c" } }
      },
      "im.message.receive_v1, unreadable"
    ],
    ["a name without end", { header: { event_id: "e", event_type: "x".repeat(5000) } }, "x".repeat(100)]
  ])("names %s and goes on", (_, json, what) => {
    assert.deepStrictEqual(translate(json, reader), { _tag: "Other", what })
  })

  it.each<[string, object]>([
    ["content that is not JSON", { content: "{" }],
    ["content of another shape", { content: "[1, null]" }],
    ["no content, as of a recalled message", { content: "" }],
    ["rich text that is none", { message_type: "post", content: '{"content":[null,[null,7,{"tag":9}]]}' }],
    ["mentions that are none", { mentions: [null, 7, { key: 1 }, { key: "@_user_1" }] }],
    ["mentions of another shape", { mentions: "all" }],
    ["times that are none", { create_time: "soon" }],
    ["types that are none", { message_type: null, chat_type: null }]
  ])("makes something readable of %s", (_, odd) => {
    const json = event({ text: "hi" })

    const translated = translate(
      { ...json, event: { ...json.event, message: { ...json.event.message, ...odd } } },
      reader
    )

    assert(translated._tag === "Message")
    assert.strictEqual(translated.event.messageId, "om_1")
    assert.isTrue(Number.isSafeInteger(translated.event.sentAt))
  })
})
