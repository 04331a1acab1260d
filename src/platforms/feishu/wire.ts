/**
 * Feishu's frames as bytes: one protobuf `Frame` a binary message, read and written by hand over protobufjs' reader and
 * writer. The 64-bit ids stay exact, for an acknowledgement has to carry the very ones of its frame.
 */
import { Option } from "effect"
import protobuf from "protobufjs/minimal.js"

/** As read, exactly; to write, a number or decimal digits serve too. */
type Id = ReturnType<protobuf.Reader["uint64"]> | number | string

export interface Header {
  readonly key: string
  readonly value: string
}

export interface WireFrame {
  readonly seqId: Id
  readonly logId: Id
  readonly service: number
  readonly method: number
  /** In their order: an acknowledgement repeats them. */
  readonly headers: ReadonlyArray<Header>
  readonly payloadEncoding?: string
  readonly payloadType?: string
  readonly payload?: Uint8Array
  readonly logIdNew?: string
}

/** `method` of a frame. */
export const method = { control: 0, data: 1 } as const

/** More headers than any frame has; past it the bytes are no frame of Feishu's. */
const maxHeaders = 64

/** None where the bytes are no frame: cut short, garbage, or without a field that has to be there. */
export const decode = (bytes: Uint8Array): Option.Option<WireFrame> => Option.flatten(read(bytes))

type Draft = { -readonly [K in keyof WireFrame]?: WireFrame[K] } & { headers: Array<Header> }

const read = Option.liftThrowable((bytes: Uint8Array): Option.Option<WireFrame> => {
  const reader = protobuf.Reader.create(bytes)
  const draft: Draft = { headers: [] }
  while (reader.pos < reader.len && draft.headers.length <= maxHeaders) readField(reader, draft)
  return draft.headers.length <= maxHeaders && isWhole(draft) ? Option.some(draft) : Option.none()
})

const isWhole = (draft: Draft): draft is Draft & WireFrame =>
  draft.seqId !== undefined && draft.logId !== undefined && draft.service !== undefined && draft.method !== undefined

const readField = (reader: protobuf.Reader, draft: Draft): void => {
  const tag = reader.uint32()
  switch (tag) {
    case 0x08:
      draft.seqId = reader.uint64()
      return
    case 0x10:
      draft.logId = reader.uint64()
      return
    case 0x18:
      draft.service = reader.int32()
      return
    case 0x20:
      draft.method = reader.int32()
      return
    case 0x2a:
      draft.headers.push(readHeader(reader))
      return
    case 0x32:
      draft.payloadEncoding = reader.string()
      return
    case 0x3a:
      draft.payloadType = reader.string()
      return
    case 0x42:
      draft.payload = reader.bytes()
      return
    case 0x4a:
      draft.logIdNew = reader.string()
      return
    default:
      reader.skipType(tag & 7, 0, tag >>> 3)
  }
}

const readHeader = (reader: protobuf.Reader): Header => {
  const end = reader.uint32() + reader.pos
  const header = { key: "", value: "" }
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === 0x0a) header.key = reader.string()
    else if (tag === 0x12) header.value = reader.string()
    else reader.skipType(tag & 7, 0, tag >>> 3)
  }
  return header
}

/** The fields that have to be there are written even where they are zero. */
export const encode = (frame: WireFrame): Uint8Array => {
  const writer = protobuf.Writer.create()
  writer.uint32(0x08).uint64(frame.seqId).uint32(0x10).uint64(frame.logId)
  writer.uint32(0x18).int32(frame.service).uint32(0x20).int32(frame.method)
  for (const { key, value } of frame.headers) {
    writer.uint32(0x2a).fork().uint32(0x0a).string(key).uint32(0x12).string(value).ldelim()
  }
  if (frame.payloadEncoding !== undefined) writer.uint32(0x32).string(frame.payloadEncoding)
  if (frame.payloadType !== undefined) writer.uint32(0x3a).string(frame.payloadType)
  if (frame.payload !== undefined) writer.uint32(0x42).bytes(frame.payload)
  if (frame.logIdNew !== undefined) writer.uint32(0x4a).string(frame.logIdNew)
  return writer.finish()
}

export const header = (frame: WireFrame, key: string): string | undefined =>
  frame.headers.find((header) => header.key === key)?.value

/** The application's ping. */
export const ping = (service: number): WireFrame => ({
  seqId: 0,
  logId: 0,
  service,
  method: method.control,
  headers: [{ key: "type", value: "ping" }]
})

const handled = new TextEncoder().encode(JSON.stringify({ code: 200 }))

/** What tells Feishu that the frame's message is kept: the frame itself, with the time it took and another payload. */
export const acknowledge = (frame: WireFrame, tookMillis: number): WireFrame => ({
  ...frame,
  headers: [...frame.headers, { key: "biz_rt", value: String(Math.max(1, Math.round(tookMillis))) }],
  payload: handled
})
