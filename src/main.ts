#!/usr/bin/env node
/** The process: hands its arguments to the command line. No logic. */
import * as nodeModule from "node:module"
import { handOver } from "./layers/handOver.ts"

if (handOver()) {
  nodeModule.enableCompileCache()
  const { Effect } = await import("effect")
  const { main } = await import("./cli/Cli.ts")
  const status = await Effect.runPromise(main(process.argv.slice(2)))
  // Everything is closed by now. What was written goes out first; whatever still holds the process does not keep it.
  setTimeout(() => process.exit(status), 1_000).unref()
  process.stdout.write("", () => process.exit(status))
}
