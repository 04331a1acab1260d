/** A turn to put to an agent. */
import { SessionKey } from "../../src/domain/Session.ts"
import type { Turn } from "../../src/domain/Turn.ts"
import { TurnId } from "../../src/domain/Turn.ts"

export const turn: Turn = {
  turn: TurnId.make("t_01J"),
  attempt: 2,
  session: SessionKey.make("feishu:oc_1"),
  address: "feishu:oc_1:omt_1",
  cause: "message",
  platform: { id: "feishu", kind: "feishu" },
  chat: { id: "oc_1", type: "group" },
  sender: { id: "ou_77", name: "Ada", admin: false },
  job: null,
  messages: [
    { id: "om_1", text: "hello", sentAt: "2026-12-01T00:00:00.000Z", ageMs: 120, replyTo: null, attachments: [] }
  ],
  history: []
}
