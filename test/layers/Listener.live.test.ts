import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import * as Listener from "../../src/layers/Listener.ts"

describe("the listener", () => {
  it.live("answers 503 while its routes are not there, in place of leaving a request without an answer", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.build(Listener.layer({ host: "127.0.0.1", port: 0 })).pipe(Scope.provide(scope))
      const { address } = yield* HttpServer.HttpServer.pipe(Effect.provideContext(context))

      const response = yield* Effect.promise(() => fetch(`${HttpServer.formatAddress(address)}/livez`))

      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(response.status, 503)
    })
  )
})
