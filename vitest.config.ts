import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = (file: string) => fileURLToPath(new URL(`src/${file}`, import.meta.url))

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
    testTimeout: 20_000
  }
})
