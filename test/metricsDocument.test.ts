/** docs/metrics.md lists what there is, and its rules ask for nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { parse } from "yaml"

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, "..", path), "utf8")

const page = read("docs/metrics.md")
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `(evergate_\w+)` \| (\w+) \|/gm)].map(([, name = "", type = ""]) => `${name} ${type}`)

const made = [
  ...[...read("src/http/measures.ts").matchAll(/\b(gauge|counter)\(\s*"(\w+)"/g)].map(
    ([, type = "", name = ""]) => `evergate_${name} ${type}`
  ),
  ...[...read("src/actors/metrics.ts").matchAll(/Metric\.(histogram|counter)\("(\w+)"/g)].map(
    ([, type = "", name = ""]) => `${name} ${type}`
  )
]

interface Rules {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{
      readonly alert: string
      readonly expr: string
      readonly annotations: { readonly summary: string }
    }>
  }>
}

describe("the page of metrics", () => {
  it("lists each of them with its type, and no other", () => {
    assert.isAbove(made.length, 30)
    assert.deepStrictEqual(rowsOf(page).toSorted(), made.toSorted())
  })

  it("has rules that ask for what there is, each with a name of its own and what to do", () => {
    const [, text = ""] = /```yaml\n(groups:[\s\S]*?)```/.exec(page) ?? []
    // What the page holds is checked here.
    const rules = (parse(text) as Rules).groups.flatMap((group) => group.rules)
    const names = new Set(made.map((row) => row.split(" ")[0]))
    const asked = rules.flatMap(({ expr }) => expr.match(/evergate_\w+/g) ?? [])

    assert.isAbove(rules.length, 15)
    assert.deepStrictEqual(
      asked.filter((name) => !names.has(name) && !names.has(name.replace(/_(?:bucket|sum|count)$/, ""))),
      []
    )
    assert.strictEqual(new Set(rules.map(({ alert }) => alert)).size, rules.length)
    assert.deepStrictEqual(
      rules.filter(({ annotations }) => annotations.summary.length < 10),
      []
    )
  })
})
