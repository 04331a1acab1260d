/** What a server says right after its upgrade may share a packet with it, and is heard like everything else. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Queue } from "effect"
import { createHash } from "node:crypto"
import * as net from "node:net"
import { PlatformId } from "../../src/domain/Address.ts"
import * as Egress from "../../src/layers/Egress.ts"
import { Transport } from "../../src/platforms/Transport.ts"
import { listen } from "../../src/testing/Peer.ts"

const accept = (key: string) => createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")

/** A text frame of a server: final, unmasked, short. */
const frame = (text: string) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])

/** Answers the upgrade and says the rest in the same write. */
const hasty = (rest: Buffer) =>
  net.createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", (request) => {
      const [, key = ""] = /sec-websocket-key: (\S+)/i.exec(request.toString()) ?? []
      const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept(key)}\r\n\r\n`
      socket.write(Buffer.concat([Buffer.from(head), rest]))
      setTimeout(() => socket.write(Buffer.concat([frame("two").subarray(3), frame("three")])), 50)
    })
  })

describe("the first bytes of a socket", () => {
  it.live("are heard when they come with the upgrade, whole messages and the beginning of one", () =>
    Effect.gen(function* () {
      const port = yield* listen(hasty(Buffer.concat([frame("one"), frame("two").subarray(0, 3)])))
      const transport = yield* Transport

      const socket = yield* transport.open({
        platform: PlatformId.make("p"),
        url: `ws://127.0.0.1:${port}/`,
        timeout: Duration.seconds(5)
      })
      const heard = yield* Queue.takeN(socket.messages, 3).pipe(Effect.timeout("3 seconds"))

      assert.deepStrictEqual(heard, ["one", "two", "three"])
    }).pipe(Effect.scoped, Effect.provide(Egress.layer({ proxy: "none" })))
  )
})
