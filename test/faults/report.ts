/** Which test shows which fault: the ids stand in test names, so the tests themselves are the record. */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Fault } from "./catalogue.ts"

const folder = resolve(import.meta.dirname, "..")

/** Texts of a source file that name a fault: the names of tests and the rows of their tables. */
const names = /(["'`])((?:\\.|(?!\1)[^\\\n])*?\bF\d{3}\b(?:\\.|(?!\1)[^\\\n])*)\1/g

export interface Named {
  readonly file: string
  readonly name: string
}

export const namedTests = (): ReadonlyMap<string, ReadonlyArray<Named>> => {
  const found = new Map<string, Array<Named>>()
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts") && !file.startsWith("faults/"))
  for (const file of files.toSorted()) {
    for (const [, , text = ""] of readFileSync(join(folder, file), "utf8").matchAll(names)) {
      const name = text.replace(/^(?:F\d{3}(?:, | and |\/|-|–| )?)+:?\s*/, "")
      for (const [id] of text.matchAll(/\bF\d{3}\b/g)) found.set(id, [...(found.get(id) ?? []), { file, name }])
    }
  }
  return found
}

export interface Verdict {
  readonly page: string
  /** Ids that have neither test nor reason. */
  readonly bare: ReadonlyArray<string>
  readonly tooManyReasons: boolean
}

const cell = (text: string): string => text.replaceAll("|", "\\|")

const rowOf = (fault: Fault, tests: ReadonlyArray<Named>): string => {
  const shown =
    tests.length > 0
      ? tests.map(({ file, name }) => `${cell(name)} (\`${file}\`)`).join("<br>")
      : fault.later !== undefined
        ? `later: waits for ${fault.later}`
        : fault.reason !== undefined
          ? `no test: ${fault.reason}`
          : "**nothing**"
  return `| ${fault.id} | ${cell(fault.fault)} | ${shown} |`
}

export const report = (catalogue: ReadonlyArray<Fault>): Verdict => {
  const tests = namedTests()
  const of = (fault: Fault) => tests.get(fault.id) ?? []
  const isLater = (fault: Fault) => fault.later !== undefined && of(fault).length === 0
  const due = catalogue.filter((fault) => !isLater(fault))
  const shown = due.filter((fault) => of(fault).length > 0)
  const reasoned = due.filter((fault) => of(fault).length === 0 && fault.reason !== undefined)
  const bare = due.filter((fault) => of(fault).length === 0 && fault.reason === undefined).map(({ id }) => id)
  const areas = [...new Set(catalogue.map(({ area }) => area))]
  const sections = areas.flatMap((area) => [
    `## ${area}`,
    "",
    "| id | what went wrong elsewhere | shown here by |",
    "| --- | --- | --- |",
    ...catalogue.filter((fault) => fault.area === area).map((fault) => rowOf(fault, of(fault))),
    ""
  ])
  const page = [
    "# Faults, and the tests that show they are ours no more",
    "",
    "Made by `npm run faults -- --write`; a test fails when it is out of date.",
    "",
    `${shown.length} shown by tests, ${reasoned.length} with a reason, ${bare.length} with neither; ${catalogue.length - due.length} later.`,
    "",
    ...sections
  ].join("\n")
  return { page, bare, tooManyReasons: reasoned.length * 10 > due.length }
}
