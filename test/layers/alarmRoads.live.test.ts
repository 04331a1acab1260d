/** The roads of the alarms over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import { createServer } from "node:http"
import * as AlarmRoads from "../../src/layers/alarmRoads.ts"
import * as Egress from "../../src/layers/Egress.ts"
import * as Peer from "../../src/testing/Peer.ts"
import { inWorld } from "../actors/world.ts"
import { until } from "../service.ts"

describe("a road of the alarms", () => {
  it.live("that answers more than its status keeps no connection", () =>
    Effect.gen(function* () {
      let pings = 0
      let open = 0
      const server = createServer((_, response) => {
        pings++
        response.write("x".repeat(256 * 1024))
      })
      server.on("connection", (socket) => {
        open++
        socket.on("close", () => open--).on("error", () => {})
      })
      const port = yield* Peer.listen(server)
      const heartbeat = Redacted.make(`http://127.0.0.1:${port}/alive`)
      const road = AlarmRoads.layer({ heartbeat, every: Duration.millis(20) }, "evergate")
      yield* Layer.build(road.pipe(Layer.provide(Egress.layer({ proxy: "none" }))))

      yield* until(
        Effect.sync(() => pings),
        (count) => count >= 20
      )

      assert.isBelow(open, 5)
    }).pipe(inWorld())
  )
})
