/** The configuration as it is in force, and how it is read again. What the API needs of it; `layers/Reload.ts` does it. */
import { Context, Schema } from "effect"
import type { Effect } from "effect"
import type { Unavailable } from "./problems.ts"

/** It was read again and is wrong: nothing changed. */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()(
  "Misconfigured",
  { what: Schema.String, where: Schema.String, hint: Schema.String },
  { httpApiStatus: 422 }
) {}

const Names = Schema.Array(Schema.String)

/** What a reload changes. Platforms and jobs by their ids; what the running gateway cannot take by its key path. */
export const Reloaded = Schema.Struct({
  source: Schema.String,
  platforms: Schema.Struct({ started: Names, stopped: Names, replaced: Names }),
  /** Platforms that hear others from now on, by the links that they have. */
  access: Names,
  cron: Schema.Struct({ added: Names, removed: Names, changed: Names }),
  alarms: Schema.Literals(["unchanged", "changed"]),
  logLevel: Schema.String,
  restartNeeded: Names
})
export type Reloaded = typeof Reloaded.Type

export interface ConfigurationState {
  readonly source: string
  /** Of what is in force. Unix milliseconds. */
  readonly loadedAt: number
  /** Key paths whose new values wait for a restart. */
  readonly restartNeeded: ReadonlyArray<string>
  /** Why it could not be read again; null once it could. */
  readonly error: string | null
}

export class Configuration extends Context.Service<
  Configuration,
  {
    readonly state: Effect.Effect<ConfigurationState>
    /** Reads it again. Requests that come together are one. Returns when it is decided; platforms then move one by one. */
    readonly reload: Effect.Effect<Reloaded, Misconfigured | Unavailable>
  }
>()("evergate/http/Configuration") {}
