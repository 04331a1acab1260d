/** The far end of examples/adapter.ts: JSON, one object a line, over TCP on loopback. It fails as it is told. */
import type { Scope } from "effect"
import { Effect } from "effect"
import * as net from "node:net"
import { listen } from "../src/testing/Peer.ts"

/** A line of either side. */
export interface LineOf {
  readonly _tag: string
  readonly [field: string]: unknown
}

export interface LineServer {
  readonly port: number
  /** All that it was told so far. */
  readonly told: (tag: string) => ReadonlyArray<LineOf>
  /** How many have been welcomed. */
  readonly welcomed: () => number
  /** To whoever is connected. */
  readonly push: (line: LineOf) => Effect.Effect<void>
  /** Half-open: whoever is connected is told nothing any more, and nothing is closed. */
  readonly goSilent: Effect.Effect<void>
}

export const lineServer = Effect.fnUntraced(function* (
  token: string
): Effect.fn.Return<LineServer, never, Scope.Scope> {
  const told: Array<LineOf> = []
  const sockets = new Set<net.Socket>()
  let welcomed = 0
  const silent = new Set<net.Socket>()
  const say = (socket: net.Socket, line: LineOf) =>
    void (silent.has(socket) || socket.write(`${JSON.stringify(line)}\n`))
  const hear = (socket: net.Socket, line: LineOf): void => {
    told.push(line)
    if (line._tag === "Ping") return say(socket, { _tag: "Pong" })
    if (line._tag === "Say") return say(socket, { _tag: "Said", id: line["id"] })
    if (line._tag !== "Hello") return
    if (line["token"] !== token) return say(socket, { _tag: "Denied", why: "it knows no such token" })
    welcomed += 1
    say(socket, { _tag: "Welcome", bot: "bot" })
  }
  const server = net.createServer((socket) => {
    sockets.add(socket)
    let rest = ""
    socket.setEncoding("utf8").on("data", (text: string) => {
      const whole = `${rest}${text}`.split("\n")
      rest = whole.pop() ?? ""
      for (const line of whole) hear(socket, JSON.parse(line) as LineOf)
    })
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  })
  return {
    port: yield* listen(server),
    told: (tag) => told.filter(({ _tag }) => _tag === tag),
    welcomed: () => welcomed,
    push: (line) => Effect.sync(() => sockets.forEach((socket) => say(socket, line))),
    goSilent: Effect.sync(() => sockets.forEach((socket) => silent.add(socket)))
  }
})
