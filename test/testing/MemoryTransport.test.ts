/** Sockets in memory behave as real ones do, and need nothing but a clock and a scheduler. */
import { assert, describe, it } from "@effect/vitest"
import type { Scheduler } from "effect"
import { Duration, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { PlatformId } from "../../src/domain/Address.ts"
import { Dns } from "../../src/domain/LinkError.ts"
import { bounds } from "../../src/layers/Arrivals.ts"
import type { OpenOptions, Socket } from "../../src/platforms/Transport.ts"
import type { Answer } from "../../src/testing/MemoryTransport.ts"
import * as Memory from "../../src/testing/MemoryTransport.ts"
import { account, outbound } from "../platforms/feishuAccount.ts"

const options = (more: Partial<OpenOptions> = {}): OpenOptions => ({
  platform: PlatformId.make("p"),
  url: "wss://far.test/ws?secret",
  timeout: Duration.seconds(15),
  ...more
})

const connected = Effect.fnUntraced(function* () {
  const memory = yield* Memory.make()
  const socket = yield* memory.transport.open(options())
  return { memory, socket, far: yield* Queue.take(memory.accepted) }
})

const ending = (socket: Socket) =>
  Effect.map(Effect.flip(Effect.forever(Queue.take(socket.messages))), ({ reason }) => reason)

describe("a socket in memory", () => {
  it.effect("carries messages both ways, in order", () =>
    Effect.gen(function* () {
      const { socket, far } = yield* connected()

      yield* socket.send("one")
      yield* socket.send("two")
      yield* far.push("eins")
      yield* far.push("zwei")

      assert.deepStrictEqual(yield* Queue.takeN(far.received, 2), ["one", "two"])
      assert.deepStrictEqual(yield* Queue.takeN(socket.messages, 2), ["eins", "zwei"])
      assert.strictEqual(socket.host, "far.test")
    }).pipe(Effect.scoped)
  )

  it.effect("hears pongs as bytes and messages as both, while they are given", () =>
    Effect.gen(function* () {
      const { socket, far } = yield* connected()
      const heardAfter = (effect: Effect.Effect<unknown, unknown>) =>
        Effect.gen(function* () {
          const before = yield* socket.heard
          yield* TestClock.adjust("1 second")
          yield* effect
          const after = yield* socket.heard
          return [after.byteAt > before.byteAt, after.messageAt > before.messageAt]
        })

      assert.deepStrictEqual(yield* heardAfter(socket.ping), [true, false])
      assert.deepStrictEqual(yield* heardAfter(far.push("hi")), [true, true])
      yield* far.answerPings(false)
      assert.deepStrictEqual(yield* heardAfter(socket.ping), [false, false])
    }).pipe(Effect.scoped)
  )

  it.effect("counts only messages that are said to count", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.make()
      const socket = yield* memory.transport.open(options({ counts: (message) => message !== "noise" }))
      const far = yield* Queue.take(memory.accepted)
      const before = yield* socket.heard

      yield* TestClock.adjust("1 second")
      yield* far.push("noise")

      assert.deepStrictEqual(yield* socket.heard, { byteAt: before.byteAt + 1000, messageAt: before.messageAt })
    }).pipe(Effect.scoped)
  )

  it.effect("half-open: swallows writes, brings nothing, and is left 2 s after its close frame", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.make()
      const scope = yield* Scope.make()
      const socket = yield* Scope.provide(memory.transport.open(options()), scope)
      const far = yield* Queue.take(memory.accepted)
      yield* far.goSilent

      yield* socket.send("lost")
      yield* far.push("lost")
      yield* far.close(1000)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1999 millis")
      const early = closing.pollUnsafe()
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(closing)

      assert.isUndefined(early)
      assert.strictEqual(yield* Queue.size(far.received), 0)
      assert.deepStrictEqual(yield* far.ended, { _tag: "Terminated" })
    })
  )

  it.effect.each([
    ["a close", (far: Memory.FarEnd) => far.close(4000, "bye"), { _tag: "ClosedByServer", code: 4000, reason: "bye" }],
    ["a drop", (far: Memory.FarEnd) => far.drop, { _tag: "NoCloseFrame", detail: "ECONNRESET" }]
  ] as const)("ends once, by %s, after what came before it; writes fail from then on", ([, end, reason]) =>
    Effect.gen(function* () {
      const { memory, socket, far } = yield* connected()

      yield* far.push("last words")
      yield* end(far)
      yield* far.drop

      assert.strictEqual(yield* Queue.take(socket.messages), "last words")
      assert.containSubset(yield* ending(socket), reason)
      assert.strictEqual((yield* Effect.flip(socket.send("late"))).reason._tag, "NoCloseFrame")
      assert.deepStrictEqual(yield* memory.open, [])
    }).pipe(Effect.scoped)
  )

  it.effect("ends as Overrun when more waits than may", () =>
    Effect.gen(function* () {
      const { socket, far } = yield* connected()

      for (let i = 0; i <= bounds.messages; i++) yield* far.push("x")

      assert.deepStrictEqual(yield* far.ended, { _tag: "Terminated" })
      assert.containSubset(yield* ending(socket), { _tag: "Overrun" })
    }).pipe(Effect.scoped)
  )

  it.effect.each<readonly [Answer, string]>([
    [{ _tag: "Refuse", status: 503 }, "HandshakeRejected"],
    [{ _tag: "Reset" }, "Network"],
    [{ _tag: "Hang" }, "ConnectTimeout"],
    [{ _tag: "Fail", reason: new Dns({ host: "far.test", detail: "ENOTFOUND" }) }, "Dns"]
  ])("does not open where it is told to answer %j", ([answer, tag]) =>
    Effect.gen(function* () {
      const memory = yield* Memory.make()
      yield* memory.answer(() => Effect.succeed(answer))

      const attempt = yield* Effect.forkChild(Effect.flip(Effect.scoped(memory.transport.open(options()))))
      yield* TestClock.adjust("15 seconds")

      assert.strictEqual((yield* Fiber.join(attempt)).reason._tag, tag)
      assert.strictEqual(yield* memory.attempts, 1)
      assert.deepStrictEqual(yield* memory.open, [])
    })
  )
})

describe("Feishu in memory", () => {
  it("needs no promise, no timer and no turn of the event loop: a scheduler drained by hand is enough", () => {
    const ready: Array<() => void> = []
    const scheduler: Scheduler.Scheduler = {
      executionMode: "async",
      shouldYield: () => false,
      makeDispatcher: () => ({ scheduleTask: (task) => ready.push(task), flush: () => {} })
    }
    const program = Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      const link = yield* adapter.connect(null)
      const said = yield* feishu.say({ text: "hi" })
      const { session } = link.liveness
      if (session._tag === "Answered") yield* session.beat
      yield* adapter.send(outbound({ text: said.eventId }))
      return (yield* feishu.exchange.ledger).map(({ text }) => text)
    }).pipe(Effect.scoped)

    const fiber = Effect.runFork(program, { scheduler })
    for (let task = ready.shift(); task !== undefined; task = ready.shift()) task()

    assert.deepStrictEqual(fiber.pollUnsafe(), Exit.succeed(["ev_1"]))
  })

  it.effect("is out of reach while its network is, and falls silent with it", () =>
    Effect.gen(function* () {
      const { feishu, adapter } = yield* account()
      const link = yield* adapter.connect(null)
      const reach = Effect.map(Effect.exit(Effect.scoped(adapter.connect(null))), Exit.isSuccess)

      yield* feishu.network("refused")
      const whenRefused = yield* reach
      yield* feishu.network("silent")
      const heard = yield* link.heard
      yield* feishu.say({ text: "unheard" })
      const attempt = yield* Effect.forkChild(reach)
      yield* TestClock.adjust("15 seconds")
      const whenSilent = yield* Fiber.join(attempt)
      yield* feishu.network("up")

      assert.deepStrictEqual([whenRefused, whenSilent, yield* reach], [false, false, true])
      assert.deepStrictEqual(yield* link.heard, heard)
      yield* feishu.sockets.open.pipe(Effect.flatMap(Effect.forEach((far) => far.drop)))
    }).pipe(Effect.scoped)
  )
})
