import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"
import type { TestSpecification } from "vitest/node"

const source = (file: string) => fileURLToPath(new URL(`src/${file}`, import.meta.url))

/** What takes longest begins first, so that no core is idle while the last one still works on it. */
const longest = [/\/simulation\/(?:memory|feishu)/, /\/Database\.live/, /\/main\//, /\.live\./]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((pattern) => pattern.test(moduleId))
  return rank === -1 ? longest.length : rank
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return files.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

export default defineConfig({
  resolve: {
    // Examples import the package by its name, as its users do.
    alias: {
      "evergate/adapter": source("adapter.ts"),
      "evergate/testing": source("testing/index.ts"),
      evergate: source("index.ts")
    }
  },
  test: {
    include: ["test/**/*.test.ts"],
    // For a test that hangs; a machine that is busy with others is given its time.
    testTimeout: 60_000,
    // Left alone it keeps one core free, which is half of a small machine.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst }
  }
})
