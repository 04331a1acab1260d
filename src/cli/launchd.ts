/** launchd cannot tell exit statuses apart: what is to stay down ends with 0 there, and the log has the status. */
import { Effect } from "effect"
import { surroundings } from "../layers/surroundings.ts"
import * as Telemetry from "../layers/Telemetry.ts"
import type { ExitStatus } from "./exit.ts"
import { exitStatus } from "./exit.ts"

/** systemd is given the same ones in the unit. */
const staysDown: ReadonlySet<ExitStatus> = new Set([exitStatus.usage, exitStatus.held, exitStatus.configuration])

/** The status that the process ends with, given who started it. */
export const asTold = (status: ExitStatus): Effect.Effect<ExitStatus> =>
  surroundings.env["EVERGATE_MANAGER"] === "launchd" && staysDown.has(status)
    ? Effect.logError("stays down: launchd is told 0").pipe(
        Effect.annotateLogs({ status }),
        Effect.provide(Telemetry.layer({ level: "error", format: "auto", secrets: [] })),
        Effect.as(exitStatus.done)
      )
    : Effect.succeed(status)
