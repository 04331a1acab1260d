/** What a new configuration changes: pure. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { load } from "../../src/config/load.ts"
import { fingerprintOf, jobChanges, restartNeeded } from "../../src/layers/reloadPlan.ts"
import { disk } from "../config/disk.ts"

const settings = (text: string) =>
  load({}, { env: {}, cwd: "/here", userHome: "/home/me", timezone: "UTC" }).pipe(
    Effect.provide(disk({ "/here/evergate.yaml": text })),
    Effect.map(({ settings }) => settings)
  )

describe("a fingerprint", () => {
  it("tells secrets apart, and not the order in which keys were written", () => {
    const of = (secret: string) => fingerprintOf({ id: "a", secret: Redacted.make(secret) })

    assert.notStrictEqual(of("one"), of("two"))
    assert.strictEqual(fingerprintOf({ a: 1, b: 2 }), fingerprintOf({ b: 2, a: 1 }))
  })
})

describe("what waits for a restart", () => {
  it.effect.each([
    ["platforms: [{ id: other, kind: local }]", []],
    ["alarms: [{ webhook: 'https://ops.example' }]", []],
    ["cron: [{ id: a, schedule: '@daily', deliverTo: 'local:me', text: a }]", []],
    ["log: { level: debug }", []],
    ["log: { format: json }", ["log.format"]],
    ["http: { port: 9999, token: another-one }", ["http.port", "http.token"]],
    ["store: { url: 'sqlite:other.db' }", ["store.url"]],
    ["home: /elsewhere", ["home"]],
    ["agent: { kind: http, url: 'http://127.0.0.1:9' }", ["agent.kind", "agent.url"]],
    ["admins: ['local:me']", ["admins"]]
  ] as const)("%s", ([text, paths]) =>
    Effect.gen(function* () {
      const built = yield* settings("log: {}")
      const next = yield* settings(text)

      assert.deepStrictEqual(restartNeeded(built, next).toSorted(), paths.toSorted())
      assert.deepStrictEqual(restartNeeded(next, next), [])
    })
  )
})

describe("what becomes of jobs", () => {
  it.effect("is by their ids, and a job that was read again is the same", () =>
    Effect.gen(function* () {
      const job = (id: string, text: string) =>
        `{ id: ${id}, schedule: '@daily', deliverTo: 'local:me', text: ${text} }`
      const before = yield* settings(`cron: [${job("a", "x")}, ${job("b", "x")}, ${job("c", "x")}]`)
      const after = yield* settings(`cron: [${job("b", "y")}, ${job("c", "x")}, ${job("d", "x")}]`)

      const read = after.jobs.map((job) => ({ ...job, createdAt: 1 }))
      assert.deepStrictEqual(jobChanges(before.jobs, read), { added: ["d"], removed: ["a"], changed: ["b"] })
    })
  )
})
