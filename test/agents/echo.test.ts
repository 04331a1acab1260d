/** The agent that repeats. */
import { expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Agent } from "../../src/agents/Agent.ts"
import * as Echo from "../../src/agents/echo.ts"
import { turn } from "./turn.ts"

it.effect("echo answers with the text it was given", () =>
  Effect.gen(function* () {
    const agent = yield* Agent

    const replies = yield* Stream.runCollect(agent.turn(turn))

    expect(replies).toEqual([{ text: "hello" }])
  }).pipe(Effect.provide(Echo.layer))
)
