/**
 * What the doctor can see of the machine. What is looked at is Node's affair, so `layers/` gives it; what follows from what was
 * seen is decided here, and can be tried without a machine.
 */
import type { Effect, Redacted, Scope } from "effect"
import { Context } from "effect"
import type { Environment } from "../config/references.ts"
import type { PlatformSettings } from "../config/Settings.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { LinkErrorReason } from "../domain/LinkError.ts"
import type { Platform } from "../platforms/Platform.ts"
import type { Overview } from "../store/overview.ts"

/** Who holds a lock. `here`: on this machine. */
export type LockView =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Stale"; readonly path: string; readonly pid: number }
  | {
      readonly _tag: "Held"
      readonly path: string
      readonly pid: number
      readonly host: string
      readonly here: boolean
      readonly home: string | null
    }
  | { readonly _tag: "Unreadable"; readonly path: string; readonly detail: string }

/** The way to a host, a step at a time. Each fails as a link would. */
export interface Way {
  /** The proxy that it goes through, by its name; null where it goes straight. */
  readonly proxy: string | null
  /** The name's addresses; null where the proxy looks it up. */
  readonly resolve: Effect.Effect<ReadonlyArray<string>, LinkErrorReason> | null
  /** A connection, or a tunnel through the proxy; closed at once. Says to where. */
  readonly connect: Effect.Effect<string, LinkErrorReason>
  /** The certificate's end in Unix milliseconds; null where no TLS is spoken. */
  readonly secure: Effect.Effect<number, LinkErrorReason> | null
  /** What the server says the time is; null where it does not say. */
  readonly date: Effect.Effect<number | null, LinkErrorReason>
}

/** A unit of a service manager that runs the gateway of a home. */
export interface ServiceView {
  readonly file: string
  /** How long it waits for a stop before it kills; null where it does not say. */
  readonly stopMillis: number | null
  /** The Node that it names, where that is not there; else null. */
  readonly missing: string | null
}

/** A file that should be this user's alone. */
export interface Exposed {
  readonly path: string
  /** What it holds. */
  readonly holds: string
}

/** What the database says, read in one go on a connection that cannot write. */
export interface StoreView {
  readonly bytes: number
  /** Read through and sound, or why it was not read through. */
  readonly integrity: "sound" | "too large to read through here"
  /** Older than this evergate: the next start brings it up to date. Then there is nothing more to be read. */
  readonly kept: Overview | "older"
}

export class Machine extends Context.Service<
  Machine,
  {
    readonly versions: { readonly evergate: string; readonly node: string; readonly platform: string }
    /** The files of these that others of this machine may read. */
    readonly exposed: (files: {
      readonly source: string | null
      readonly envFile: string | null
      readonly home: string
      readonly database: string
      readonly secrets: ReadonlyArray<Redacted.Redacted>
    }) => Effect.Effect<ReadonlyArray<Exposed>>
    /** The units that run the gateway of this home. */
    readonly services: (home: string) => Effect.Effect<ReadonlyArray<ServiceView>>
    readonly homeLock: (home: string) => Effect.Effect<LockView>
    /** Null for a platform without an account. */
    readonly accountLock: (platform: PlatformSettings) => Effect.Effect<LockView | null>
    readonly wayTo: (origin: string, proxy: string, environment: Environment) => Effect.Effect<Way, never, Scope.Scope>
    /** The platform of the settings, attached to nothing; null where there is nothing to be asked. */
    readonly platform: (
      settings: PlatformSettings,
      proxy: string,
      environment: Environment
    ) => Effect.Effect<Platform | null, never, Scope.Scope>
    /** Null where there is no database yet. */
    readonly store: (
      file: string,
      platforms: ReadonlyArray<string>,
      checkedBytes: number
    ) => Effect.Effect<StoreView | null, StoreError>
    /** What is free where this file is or would be; null where the system does not say. */
    readonly freeBytes: (file: string) => Effect.Effect<number | null>
  }
>()("evergate/doctor/Machine") {}
