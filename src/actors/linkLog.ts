/** The lines that a link's life always shows as; a contract, since people search for them. */
import { Duration, Effect } from "effect"
import type { LinkChange, LinkStatus } from "../domain/LinkState.ts"

/** Writes down one move. */
export const announce = (before: LinkStatus, after: LinkStatus, change: LinkChange): Effect.Effect<void> => {
  const platform = after.id
  switch (after.state) {
    case "connecting":
      return line(Effect.logInfo("connecting"), { platform, attempt: after.attempt })
    case "connected":
      return line(Effect.logInfo("connected"), { platform, host: after.host })
    case "stopped":
      return line(Effect.logInfo("stopped"), { platform })
    case "backoff":
    case "failed": {
      const wait = Duration.format(Duration.millis(Math.max(0, (after.nextAttemptAt ?? change.at) - change.at)))
      return line(Effect.logWarning("disconnected"), {
        platform,
        kind: change.kind,
        message: change.message,
        hint: after.lastError?.hint,
        ...(before.state === after.state ? {} : { state: after.state })
      }).pipe(Effect.andThen(line(Effect.logInfo("reconnecting"), { platform, attempt: after.attempt + 1, in: wait })))
    }
  }
}

const line = (log: Effect.Effect<void>, fields: Readonly<Record<string, unknown>>) => Effect.annotateLogs(log, fields)
