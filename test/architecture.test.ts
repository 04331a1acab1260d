/** What a machine can check of the house style: who may import whom, no cycles, no forbidden calls, no marks of unfinished work. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../src")

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replaceAll("\\", "/"))
  .toSorted()

const source = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]))

/** Comments and texts blanked out, so that only code is searched. */
const codeOf = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(^|[^:"'`])\/\/.*$/gm, "$1")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""')

const importsOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g), (match) => match[1] ?? "")

const ports = new Set(["platforms/Platform.ts", "platforms/Transport.ts", "agents/Agent.ts"])
const ranks: Readonly<Record<string, number>> = {
  domain: 0,
  platforms: 2,
  agents: 2,
  schedules: 2,
  store: 2,
  actors: 3,
  http: 4,
  config: 4,
  doctor: 5,
  layers: 6,
  testing: 7,
  cli: 7
}
const folderOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : "")
const rankOf = (file: string): number => (ports.has(file) ? 1 : (ranks[folderOf(file)] ?? 8))

/** An adapter or an agent is a folder of its own: `platforms/feishu` knows nothing of `platforms/local`. */
const homeOf = (file: string): string => {
  const [folder, second] = file.split("/")
  return folder === "platforms" && !ports.has(file) ? `platforms/${second}` : (folder ?? "")
}

const edges = files.flatMap((file) =>
  importsOf(source.get(file) ?? "")
    .filter((target) => target.startsWith("."))
    .map((target) => ({ from: file, to: relative(root, resolve(root, dirname(file), target)).replaceAll("\\", "/") }))
)

/** It shows the gateway with the far ends that the tests have. */
const demo = "cli/demo.ts"

describe("imports", () => {
  it("go to the same folder or to a lower rank", () => {
    const wrong = edges
      .filter(({ from, to }) => homeOf(from) !== homeOf(to) && rankOf(to) >= rankOf(from))
      .filter(({ from }) => from !== demo)

    assert.deepStrictEqual(wrong, [])
  })

  it("of the testing parts come from nowhere in the product", () => {
    const wrong = edges.filter(
      ({ from, to }) => folderOf(to) === "testing" && folderOf(from) !== "testing" && from !== demo
    )

    assert.deepStrictEqual(wrong, [])
  })

  it("are relative with their extension, or of a package by subpath", () => {
    const wrong = edges.filter(({ to }) => !/\.[cm]?ts$/.test(to))
    const index = files.filter((file) => importsOf(source.get(file) ?? "").includes("@effect/platform-node"))

    assert.deepStrictEqual({ wrong, index }, { wrong: [], index: [] })
  })

  it("form no cycle", () => {
    const state = new Map<string, "open" | "done">()
    const cycles: Array<string> = []
    const visit = (file: string, path: ReadonlyArray<string>): void => {
      if (state.get(file) === "open") cycles.push([...path.slice(path.indexOf(file)), file].join(" → "))
      if (state.has(file)) return
      state.set(file, "open")
      const text = source.get(file) ?? ""
      for (const { to } of edges.filter(({ from }) => from === file)) {
        const isType = new RegExp(`import type [^;]*?"[^"]*${to.split("/").at(-1)?.replace(".", "\\.")}"`).test(text)
        if (!isType) visit(to, [...path, file])
      }
      state.set(file, "done")
    }
    for (const file of files) visit(file, [])

    assert.deepStrictEqual(cycles, [])
  })

  it("of what Effect marks unstable stay out of domain, schedules and actors", () => {
    const unstable = /^effect\/(socket|http|http-api|sql|persistence|cli|cluster|observability)\b/
    const wrong = files
      .filter((file) => ["domain", "schedules", "actors"].includes(folderOf(file)) || ports.has(file))
      .filter((file) => importsOf(source.get(file) ?? "").some((target) => unstable.test(target)))

    assert.deepStrictEqual(wrong, [])
  })

  it("of Node stay in layers, testing, and the process itself", () => {
    const wrong = files
      .filter((file) => !["layers", "testing"].includes(folderOf(file)) && file !== "main.ts")
      .filter((file) => importsOf(source.get(file) ?? "").some((target) => target.startsWith("node:")))

    assert.deepStrictEqual(wrong, [])
  })

  it.each([
    ["ws", "layers/WebSocket.ts"],
    ["node:sqlite", "layers/Sqlite.ts"]
  ])("of %s are in one place", (name, place) => {
    const users = files.filter(
      (file) => !file.startsWith("testing/") && importsOf(source.get(file) ?? "").includes(name)
    )
    const strangers = users.filter((file) => dirname(file) !== dirname(place))

    assert.include(users, place)
    assert.deepStrictEqual(strangers, [])
  })
})

describe("code", () => {
  const forbidden: ReadonlyArray<readonly [string, RegExp]> = [
    ["async", /\basync\b/],
    ["try", /\btry\s*\{/],
    ["throw", /\bthrow\b/],
    ["any", /:\s*any\b|<any>|\bas any\b/],
    ["a non-null assertion", /[\w)\]]!(?=[.;,)\]\s])(?!=)/],
    ["@ts-ignore", /@ts-(?:ignore|expect-error)/],
    ["console", /\bconsole\./],
    ["Date.now or new Date()", /\bDate\.now\b|new Date\(\)/],
    ["Math.random", /\bMath\.random\b/],
    ["raw timers", /\bset(?:Timeout|Interval|Immediate)\(/],
    ["process.env", /\bprocess\.env\b/],
    ["Effect.run…", /\bEffect\.run(?:Promise|Sync|Fork|Callback)/]
  ]
  const mayKnowNode = (file: string) => ["layers", "testing"].includes(folderOf(file)) || file === "main.ts"

  it.each(forbidden)("has no %s outside of the layers", (_, pattern) => {
    const wrong = files.filter((file) => !mayKnowNode(file) && pattern.test(codeOf(source.get(file) ?? "")))

    assert.deepStrictEqual(wrong, [])
  })

  it("has a header in every file, and no mark of unfinished work", () => {
    const bare = files.filter((file) => !/^(#!.*\n)?\/\*\*/.test(source.get(file) ?? ""))
    const marked = files.filter((file) => /\b(?:TODO|FIXME|XXX|HACK)\b/.test(source.get(file) ?? ""))

    assert.deepStrictEqual({ bare, marked }, { bare: [], marked: [] })
  })
})

describe("the runtime", () => {
  it("is the pinned Node", () => {
    assert.strictEqual(process.versions.node.split(".")[0], "24")
  })
})
