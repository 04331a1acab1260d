/**
 * Feishu's official client as a program of its own: it changes protobufjs for its whole process. It answers every message
 * with its text by REST, and tells what it saw on its standard output, a JSON line each.
 */
import * as lark from "@larksuiteoapi/node-sdk"

const [, , domain = "", appId = "", appSecret = ""] = process.argv
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const mute = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, trace: () => {} }

const client = new lark.Client({ appId, appSecret, domain, logger: mute })
const eventDispatcher = new lark.EventDispatcher({ logger: mute }).register({
  "im.message.receive_v1": async ({ message }) => {
    tell({ heard: message.content, id: message.message_id })
    const reply = await client.im.v1.message.reply({
      path: { message_id: message.message_id },
      data: { msg_type: "text", content: message.content, uuid: `re-${message.message_id}` }
    })
    tell({ replied: reply.data?.message_id })
  }
})

const socket = new lark.WSClient({ appId, appSecret, domain, logger: mute, onReady: () => tell({ ready: true }) })
await socket.start({ eventDispatcher })
process.stdin.on("end", () => process.exit(0)).resume()
