/** The peer speaks the real protocol: Feishu's own client, in a process of its own, does not notice that it is one. */
import { assert, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Effect, Queue } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import * as wire from "../../src/platforms/feishu/wire.ts"
import type { FeishuPeer } from "../../src/testing/feishu/FeishuPeer.ts"
import * as Peer from "../../src/testing/feishu/FeishuPeer.ts"

/** What the official client tells, line by line. */
const officialClient = Effect.fnUntraced(function* ({
  url,
  options
}: FeishuPeer): Effect.fn.Return<Queue.Dequeue<string>, never, Scope.Scope> {
  const told = yield* Queue.unbounded<string>()
  const file = new URL("officialClient.ts", import.meta.url).pathname
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [file, url, options.appId, options.appSecret], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { PATH: process.env.PATH, NO_PROXY: "127.0.0.1" }
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  createInterface(child.stdout).on("line", (line) => Queue.offerUnsafe(told, line))
  return told
})

it.live(
  "the official client connects, pings, hears a message, acknowledges it and answers by REST",
  () =>
    Effect.gen(function* () {
      const peer = yield* Peer.make()
      const told = yield* officialClient(peer)
      yield* Queue.take(peer.connected)
      assert.deepStrictEqual(JSON.parse(yield* Queue.take(told)), { ready: true })

      const said = yield* peer.say({ text: "喂, are you the real one?" })

      assert.deepStrictEqual(JSON.parse(yield* Queue.take(told)), {
        heard: JSON.stringify({ text: "喂, are you the real one?" }),
        id: said.messageId
      })
      const sent = yield* Queue.take(peer.exchange.sent)
      assert.containSubset(sent, { replyTo: said.messageId, text: "喂, are you the real one?" })
      assert.deepStrictEqual(JSON.parse(yield* Queue.take(told)), { replied: sent.messageId })
      const ack = yield* Queue.take(peer.acks)
      assert.strictEqual(ack.code, 200)
      assert.isDefined(wire.header(ack.frame, "biz_rt"))
      yield* said.acknowledged
      assert.isAbove(yield* peer.pings, 0)
    }).pipe(Effect.scoped),
  30_000
)

it.live(
  "it puts fragments together, skips what it does not know, and comes back after a close and after a reset",
  () =>
    Effect.gen(function* () {
      // A frame that comes with the upgrade is lost on it, and acknowledged when it comes again.
      const peer = yield* Peer.make({ ackWithin: "500 millis", redeliver: ["0 seconds", "1 second", "1 second"] })
      const told = yield* officialClient(peer)
      const first = yield* Queue.take(peer.connected)
      yield* Queue.take(told)

      yield* first.push("text")
      yield* first.push(Uint8Array.of(1, 2, 3))
      const whole = new TextEncoder().encode(
        JSON.stringify({ schema: "2.0", header: { event_type: "a.b" }, event: {} })
      )
      yield* peer.deliver({ id: "cut", payload: whole, parts: 5 })
      assert.containSubset(yield* Queue.take(peer.acks), { delivery: "cut", code: 200 })

      yield* first.close(1011, "again")
      const second = yield* Queue.take(peer.connected)
      yield* second.drop
      yield* Queue.take(peer.connected)

      const said = yield* peer.say({ text: "still there?" })
      yield* said.acknowledged
    }).pipe(Effect.scoped),
  30_000
)
