/**
 * Puts a message together that came in several frames, in any order. Bounded in messages, bytes and time: what is dropped
 * was not acknowledged, so Feishu sends it again. Bytes are joined before they are read: a character may lie across two.
 */
import type { WireFrame } from "./wire.ts"
import { header } from "./wire.ts"

const limits = { messages: 64, fragments: 256, bytes: 8 * 1024 * 1024, millis: 15_000 } as const

export type Assembled =
  | { readonly _tag: "Whole"; readonly payload: Uint8Array }
  /** More is to come. */
  | { readonly _tag: "Partial" }
  /** It fits nothing: out of range, too large, or at odds with what came before. */
  | { readonly _tag: "Unfit" }

/** Of one connection; fragments do not go over to the next. */
export interface Fragments {
  readonly add: (frame: WireFrame, nowMillis: number) => Assembled
}

interface Parts {
  readonly since: number
  readonly sum: number
  readonly bySeq: Map<number, Uint8Array>
  bytes: number
}

const empty = new Uint8Array(0)
const partial: Assembled = { _tag: "Partial" }
const unfit: Assembled = { _tag: "Unfit" }

export const makeFragments = (): Fragments => {
  // Oldest first, as a Map keeps them.
  const open = new Map<string, Parts>()
  let held = 0

  const forget = (id: string) => {
    held -= open.get(id)?.bytes ?? 0
    open.delete(id)
  }
  const makeRoom = (now: number) => {
    for (const [id, parts] of open) {
      const fits = open.size <= limits.messages && held <= limits.bytes
      if (fits && now - parts.since < limits.millis) return
      forget(id)
    }
  }
  const put = (id: string, sum: number, seq: number, payload: Uint8Array, now: number): Assembled => {
    const parts = open.get(id) ?? { since: now, sum, bySeq: new Map<number, Uint8Array>(), bytes: 0 }
    if (parts.sum !== sum) return unfit
    if (parts.bySeq.has(seq)) return partial
    open.set(id, parts)
    parts.bySeq.set(seq, payload)
    parts.bytes += payload.length
    held += payload.length
    if (parts.bySeq.size < sum) {
      makeRoom(now)
      return partial
    }
    forget(id)
    return { _tag: "Whole", payload: join(parts) }
  }

  return {
    add: (frame, now) => {
      makeRoom(now)
      const payload = frame.payload ?? empty
      const sum = Number(header(frame, "sum") ?? 1)
      const seq = Number(header(frame, "seq") ?? 0)
      if (sum === 1 && seq === 0) return { _tag: "Whole", payload }
      const id = header(frame, "message_id") ?? ""
      if (id === "" || !isCount(sum, 1, limits.fragments) || !isCount(seq, 0, sum - 1)) return unfit
      return put(id, sum, seq, payload, now)
    }
  }
}

const isCount = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most

const join = (parts: Parts): Uint8Array => {
  const whole = new Uint8Array(parts.bytes)
  let at = 0
  for (let seq = 0; seq < parts.sum; seq++) {
    const part = parts.bySeq.get(seq) ?? empty
    whole.set(part, at)
    at += part.length
  }
  return whole
}
