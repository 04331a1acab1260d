/**
 * The platform's side of the benchmarks, in a process of its own: hands out connections, pushes events, takes
 * acknowledgements and messages, and measures. It speaks through its IPC channel.
 */
import { createServer } from "node:http"
import { performance } from "node:perf_hooks"
import { WebSocketServer } from "ws"
import type { WebSocket } from "ws"
import * as wire from "../src/platforms/feishu/wire.ts"

export interface Load {
  readonly events: number
  /** Events that may wait for their acknowledgement. */
  readonly window: number
  /** Events a second; 0: as fast as the window lets. */
  readonly rate: number
  readonly chats: number
  /** Also wait for this many messages by REST. */
  readonly replies: number
}

export interface Measured {
  readonly seconds: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly replies: number
}

const padding = "x".repeat(300)
const utf8 = new TextEncoder()

const eventOf = (serial: number, chats: number): Uint8Array => {
  const now = String(Date.now())
  return utf8.encode(
    JSON.stringify({
      schema: "2.0",
      header: {
        event_id: `ev_${process.pid}_${serial}`,
        token: "",
        create_time: now,
        event_type: "im.message.receive_v1",
        tenant_key: "tenant",
        app_id: "cli_0123456789abcdef"
      },
      event: {
        sender: {
          sender_id: { open_id: `ou_${serial % chats}`, union_id: "on_1", user_id: "u1" },
          sender_type: "user",
          tenant_key: "tenant"
        },
        message: {
          message_id: `om_${process.pid}_${serial}`,
          create_time: now,
          update_time: now,
          chat_id: `oc_${serial % chats}`,
          chat_type: "p2p",
          message_type: "text",
          content: JSON.stringify({ text: `message ${serial} ${padding}` })
        }
      }
    })
  )
}

const frameOf = (serial: number, chats: number): Uint8Array =>
  wire.encode({
    seqId: serial,
    logId: serial,
    service: 1,
    method: wire.method.data,
    headers: [
      { key: "type", value: "event" },
      { key: "message_id", value: `d_${serial}` },
      { key: "sum", value: "1" },
      { key: "seq", value: "0" },
      { key: "trace_id", value: `trace_${serial}` },
      { key: "timestamp", value: String(Date.now()) },
      { key: "instance_id", value: "instance" }
    ],
    payload: eventOf(serial, chats)
  })

let posted = 0
let onPosted = () => {}
let socket: WebSocket | undefined
const json = (body: unknown) => JSON.stringify(body)

const server = createServer((request, response) => {
  const path = request.url ?? ""
  request.resume()
  request.on("end", () => {
    response.setHeader("content-type", "application/json")
    const port = (server.address() as { port: number }).port
    if (path.startsWith("/callback/ws/endpoint")) {
      const ClientConfig = { ReconnectCount: -1, ReconnectInterval: 1, ReconnectNonce: 0, PingInterval: 120 }
      response.end(
        json({
          code: 0,
          msg: "",
          data: { URL: `ws://127.0.0.1:${port}/ws?x=1&device_id=1&service_id=1`, ClientConfig }
        })
      )
    } else if (path.includes("tenant_access_token")) {
      response.end(json({ code: 0, msg: "ok", tenant_access_token: "t-1", expire: 7200 }))
    } else if (path.includes("/bot/v3/info")) {
      response.end(json({ code: 0, msg: "ok", bot: { open_id: "ou_bot", activate_status: 2 } }))
    } else {
      posted++
      response.end(json({ code: 0, msg: "success", data: { message_id: `om_sent_${posted}` } }))
      onPosted()
    }
  })
})

const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on("connection", (connected) => {
  socket = connected
  process.send?.({ connected: true })
})

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN

const push = (load: Load): Promise<Measured> =>
  new Promise((resolve) => {
    const ws = socket
    if (ws === undefined) throw new Error("nobody is connected")
    const sentAt = new Map<string, number>()
    const latencies: Array<number> = []
    const began = performance.now()
    const before = posted
    let sent = 0
    const send = () => {
      const serial = serialBase + sent++
      sentAt.set(`d_${serial}`, performance.now())
      ws.send(frameOf(serial, load.chats))
    }
    const fill = () => {
      const allowed =
        load.rate === 0
          ? load.events
          : Math.min(load.events, Math.floor(((performance.now() - began) / 1000) * load.rate))
      const room = Math.min(allowed - sent, load.window - sentAt.size)
      for (let filled = 0; filled < room; filled++) send()
    }
    const timer = setInterval(fill, 1)
    const settle = () => {
      if (latencies.length < load.events || posted - before < load.replies) return
      clearInterval(timer)
      ws.off("message", onMessage)
      onPosted = () => {}
      serialBase += sent
      const seconds = (performance.now() - began) / 1000
      latencies.sort((a, b) => a - b)
      resolve({
        seconds,
        perSecond: load.events / seconds,
        p50: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        replies: posted - before
      })
    }
    const onMessage = (data: Buffer) => {
      const frame = wire.decode(data)
      if (frame._tag === "None" || frame.value.method !== wire.method.data) return
      const id = frame.value.headers.find((header) => header.key === "message_id")?.value ?? ""
      const at = sentAt.get(id)
      if (at === undefined) return
      sentAt.delete(id)
      latencies.push(performance.now() - at)
      fill()
      settle()
    }
    ws.on("message", onMessage)
    onPosted = settle
    fill()
  })
let serialBase = 1

process.on("message", async (load: Load) => process.send?.({ measured: await push(load) }))
process.on("disconnect", () => process.exit(0))
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { port: number }).port }))
