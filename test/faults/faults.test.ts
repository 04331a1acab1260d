import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { catalogue } from "./catalogue.ts"
import { report } from "./report.ts"

describe("the catalogue of faults", () => {
  it("has a test or a reason for each, and a reason for one in ten at most", () => {
    const { bare, tooManyReasons } = report(catalogue)

    assert.deepStrictEqual(bare, [])
    assert.isFalse(tooManyReasons)
  })

  it("is shown by docs/faults.md as it is", () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../docs/faults.md"), "utf8")

    assert.strictEqual(page, report(catalogue).page)
  })
})
