/** What follows from what the parts say of themselves: `ok`, `degraded` or `down`, and every reason that speaks against `ok`. */
import { Schema } from "effect"
import type { LinkReport } from "../actors/LinkReport.ts"
import type { Part } from "../actors/Part.ts"
import { iso } from "../domain/instant.ts"
import type { StoreHealth } from "../store/Database.ts"

export const Health = Schema.Literals(["ok", "degraded", "down"])
export type Health = typeof Health.Type

/** What health depends on. */
export interface Findings {
  readonly links: ReadonlyArray<LinkReport>
  readonly parts: ReadonlyArray<Part>
  readonly store: StoreHealth
  /** The gateway drains. */
  readonly isStopping: boolean
  /** Why the configuration could not be read again. */
  readonly configError?: string | null
}

/** The parts that miss their own deadline: what `/livez` goes by. */
export const standing = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
  parts.filter((part) => part.overdueMillis !== null).map((part) => part.name)

/** `down` goes before `degraded`. */
export const judge = ({
  links,
  parts,
  store,
  isStopping,
  configError = null
}: Findings): { readonly health: Health; readonly reasons: ReadonlyArray<string> } => {
  const counting = links.filter((link) => !link.auxiliary && link.state !== "stopped")
  const away = counting.filter((link) => link.state !== "connected")
  const stands = standing(parts)
  const reasons = [
    ...(isStopping ? ["stopping"] : []),
    // Each attempt moves the state, and with it `since`: what counts is since when nothing came through.
    ...away.map((link) => `${link.id}: ${link.state} since ${iso(link.downSince ?? link.since)}`),
    ...stands.map((name) => `${name}: no progress`),
    ...(configError === null ? [] : [configError.split("\n", 1).join("")]),
    ...(store.lastError === null ? [] : [`store: ${store.lastError}`])
  ]
  const deaf = counting.length > 0 && away.length === counting.length
  const down = deaf || !store.ok || stands.includes("ticker")
  return { health: down ? "down" : reasons.length > 0 ? "degraded" : "ok", reasons }
}
