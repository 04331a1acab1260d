#!/usr/bin/env node
/** The process: hands its arguments to the command line. No logic. */
import * as nodeModule from "node:module"
import { handOver } from "./layers/handOver.ts"

if (handOver()) {
  nodeModule.enableCompileCache()
  const { Effect } = await import("effect")
  const { main } = await import("./cli/Cli.ts")
  process.exitCode = await Effect.runPromise(main(process.argv.slice(2)))
  // Everything is closed by now; should something still hold the process, it does not hold it for long.
  setTimeout(() => process.exit(), 1_000).unref()
}
