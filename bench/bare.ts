/** The ceiling: `ws` and `protobufjs` alone. Decodes each event and acknowledges it; with `post` it also answers by REST. */
import { Agent, request } from "node:http"
import { WebSocket } from "ws"
import * as wire from "../src/platforms/feishu/wire.ts"

const [base = "", mode = "ack"] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const decoder = new TextDecoder()
const acknowledged = new TextEncoder().encode('{"code":200}')

const post = (messageId: string, text: string) => {
  const body = JSON.stringify({ msg_type: "text", content: JSON.stringify({ text }), uuid: messageId })
  const asked = request(`${base}/open-apis/im/v1/messages/${messageId}/reply`, {
    method: "POST",
    agent,
    headers: {
      "content-type": "application/json",
      authorization: "Bearer t-1",
      "content-length": Buffer.byteLength(body)
    }
  })
  asked.on("response", (response) => {
    let answer = ""
    response.setEncoding("utf8").on("data", (part: string) => (answer += part))
    response.on("end", () => JSON.parse(answer))
  })
  asked.end(body)
}

const bootstrap = await fetch(`${base}/callback/ws/endpoint`, { method: "POST", body: "{}" })
const { data } = (await bootstrap.json()) as { data: { URL: string } }
const socket = new WebSocket(data.URL, { perMessageDeflate: false })
socket.on("message", (bytes: Buffer) => {
  const decoded = wire.decode(bytes)
  if (decoded._tag === "None" || decoded.value.method !== wire.method.data) return
  const frame = decoded.value
  const event = JSON.parse(decoder.decode(frame.payload))
  const headers = [...frame.headers, { key: "biz_rt", value: "0" }]
  socket.send(wire.encode({ ...frame, headers, payload: acknowledged }))
  if (mode === "post") post(event.event.message.message_id, JSON.parse(event.event.message.content).text)
})
process.on("disconnect", () => process.exit(0))
