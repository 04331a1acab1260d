/** What Feishu's side puts on the wire: events as JSON, cut into frames with the headers that real ones carry. */
import type { WireFrame } from "../../platforms/feishu/wire.ts"
import { method } from "../../platforms/feishu/wire.ts"

/** A message of a user; what is left out is made up. */
export interface UserMessage {
  readonly text?: string
  /** Feishu's message type, with its parsed content; `text` stands for a text message's. */
  readonly type?: string
  readonly content?: unknown
  readonly chat?: string
  readonly chatType?: "p2p" | "group"
  readonly sender?: string
  readonly senderType?: string
  readonly mentions?: ReadonlyArray<{ readonly key: string; readonly id: string; readonly name: string }>
  readonly thread?: string
  readonly parent?: string
  readonly messageId?: string
  readonly eventId?: string
  readonly sentAt?: number
}

export interface EventIds {
  readonly appId: string
  readonly serial: number
  readonly nowMillis: number
}

/** `im.message.receive_v1`. */
export const messageEvent = (said: UserMessage, { appId, serial, nowMillis }: EventIds) => {
  const sentAt = String(said.sentAt ?? nowMillis)
  const sender = said.sender ?? "ou_user"
  return {
    schema: "2.0",
    header: {
      event_id: said.eventId ?? `ev_${serial}`,
      token: "",
      create_time: sentAt,
      event_type: "im.message.receive_v1",
      tenant_key: "tenant",
      app_id: appId
    },
    event: {
      sender: { sender_id: { open_id: sender }, sender_type: said.senderType ?? "user", tenant_key: "tenant" },
      message: {
        message_id: said.messageId ?? `om_${serial}`,
        ...(said.parent === undefined ? {} : { parent_id: said.parent, root_id: said.parent }),
        ...(said.thread === undefined ? {} : { thread_id: said.thread }),
        create_time: sentAt,
        update_time: sentAt,
        chat_id: said.chat ?? "oc_chat",
        chat_type: said.chatType ?? "p2p",
        message_type: said.type ?? "text",
        content: JSON.stringify(said.content ?? { text: said.text ?? `message ${serial}` }),
        mentions: (said.mentions ?? []).map(({ key, id, name }) => ({ key, name, id: { open_id: id } }))
      }
    }
  }
}

/** How a payload goes out. */
export interface Delivery {
  readonly id: string
  readonly serial: number
  readonly service: number
  readonly payload: Uint8Array
  /** event unless given. */
  readonly type?: string
  /** In how many frames; one unless given. */
  readonly parts?: number
}

/** Ids beyond what a double can hold: whoever rounds them acknowledges another frame. */
const idBase = 9_007_199_254_741_000n

export const dataFrames = ({ id, serial, service, payload, type = "event", parts = 1 }: Delivery): Array<WireFrame> => {
  const size = Math.ceil(payload.length / parts)
  return Array.from({ length: parts }, (_, seq) => ({
    ...ids(serial),
    service,
    method: method.data,
    headers: Object.entries({
      type,
      message_id: id,
      sum: String(parts),
      seq: String(seq),
      trace_id: `trace_${id}`,
      timestamp: String(serial),
      instance_id: "instance"
    }).map(([key, value]) => ({ key, value })),
    payload: payload.subarray(seq * size, (seq + 1) * size),
    logIdNew: `log_${id}`
  }))
}

/** Exact through `Long`, which reads decimal text. */
const ids = (serial: number) => ({
  seqId: String(idBase + BigInt(serial)),
  logId: String(idBase * 2n + BigInt(serial))
})

export const pong = (service: number, payload: Uint8Array | undefined): WireFrame => ({
  seqId: 0,
  logId: 0,
  service,
  method: method.control,
  headers: [{ key: "type", value: "pong" }],
  ...(payload === undefined ? {} : { payload })
})
