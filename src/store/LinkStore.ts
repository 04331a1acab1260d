/** What a link leaves behind: its timeline, its resume token, and the settings that have connected before. */
import type { Effect } from "effect"
import { Context } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { StoreError } from "../domain/Errors.ts"
import type { LinkChange } from "../domain/LinkState.ts"

export class LinkStore extends Context.Service<
  LinkStore,
  {
    /** The newest 1,000 of a platform are kept. */
    readonly record: (platform: PlatformId, change: LinkChange) => Effect.Effect<void, StoreError>
    /** Newest first. */
    readonly timeline: (platform: PlatformId, limit: number) => Effect.Effect<ReadonlyArray<LinkChange>, StoreError>
    readonly resume: (platform: PlatformId) => Effect.Effect<string | null, StoreError>
    readonly forget: (platform: PlatformId) => Effect.Effect<void, StoreError>
    /** These settings have connected. */
    readonly proved: (platform: PlatformId, fingerprint: string) => Effect.Effect<void, StoreError>
    readonly wasProved: (platform: PlatformId, fingerprint: string) => Effect.Effect<boolean, StoreError>
  }
>()("evergate/store/LinkStore") {}
