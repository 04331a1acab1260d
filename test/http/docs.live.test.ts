/** The API, described: as a machine reads it, and as a page that loads nothing from elsewhere. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { operationsOf, specOf } from "../../src/http/described.ts"
import { shapeOf } from "../../src/http/shape.ts"
import { ask } from "../asking.ts"
import { served } from "./served.ts"

const operations = Object.entries(specOf("1.2.3").paths).flatMap(([path, item]) =>
  operationsOf(item).map(([method, operation]) => ({ path, method, operation }))
)

describe("/openapi.json", () => {
  it("says of every endpoint what it is for, and of none that does not exist", () => {
    const silent = operations.filter(({ operation }) => operation.summary === undefined)

    assert.deepStrictEqual(
      silent.map(({ method, path }) => `${method} ${path}`),
      []
    )
  })

  it.live("names the version and what is no JSON too; each GET without a parameter answers as it says", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})
      const { headers, json } = yield* ask(`${url}/openapi.json`)
      const plain = operations.filter(({ method, path }) => method === "get" && !/[{]|events/.test(path))

      const answers = yield* Effect.forEach(plain, ({ path }) => ask(`${url}${path}`))

      assert.strictEqual(headers["content-type"], "application/json")
      assert.containSubset(json, {
        openapi: "3.1.0",
        info: { title: "evergate", version: "0.1.0" },
        paths: { "/api/status": {}, "/livez": {}, "/readyz": {}, "/metrics": {}, "/api/events": {} }
      })
      assert.isAbove(plain.length, 7)
      assert.deepStrictEqual(
        answers.map(({ headers, status }) => [status, String(headers["content-type"]).split(";")[0]]),
        plain.map(({ operation }) => [200, Object.keys(operation.responses[200]?.content ?? {})[0]])
      )
    })
  )
})

describe("/docs", () => {
  it.live("shows every endpoint, and loads its style from here alone", () =>
    Effect.gen(function* () {
      const { url } = yield* served({})

      const page = yield* ask(`${url}/docs`)
      const style = yield* ask(`${url}/page/docs.css`)

      assert.deepStrictEqual([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"])
      for (const { path } of operations) assert.include(page.text, `<code>${path}</code>`)
      assert.deepStrictEqual(
        [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target),
        ["/page/docs.css", "/openapi.json"]
      )
      assert.notMatch(page.text, /<script|style=|\bon\w+=|@import|url\(/)
      assert.deepStrictEqual([style.status, style.headers["content-type"]], [200, "text/css; charset=utf-8"])
    })
  )
})

describe("a shape", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "array", items: { type: "number" } }, "Array<number>"],
    [{ anyOf: [{ type: "string" }, { type: "null" }, { type: "null" }] }, "string | null"],
    [{ enum: ["a", "b"] }, '"a" | "b"'],
    [{ $ref: "#/components/schemas/Name" }, "boolean"],
    [{ type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] }, "{\n  a: string\n  b?: any\n}"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ [name]: number }"],
    [undefined, "any"]
  ])("of %j is read as %j", (schema, shape) => {
    assert.strictEqual(shapeOf(schema, { Name: { type: "boolean" } }), shape)
  })

  it("of what speaks of itself ends", () => {
    const tree = { type: "object", properties: { parts: { type: "array", items: { $ref: "#/x/Tree" } } }, required: [] }

    assert.include(shapeOf(tree, { Tree: tree }), "any")
  })
})
