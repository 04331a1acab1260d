/** The platforms that are attached, by name: what a session has to know of the platform it answers on. */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { Platform } from "../platforms/Platform.ts"

export class Roster extends Context.Service<
  Roster,
  {
    /** Enters a platform until the scope closes. Two of one name are a bug of whoever wired them. */
    readonly enter: (platform: Platform) => Effect.Effect<void, never, Scope.Scope>
    readonly find: (id: PlatformId) => Platform | undefined
    readonly ids: () => ReadonlyArray<PlatformId>
  }
>()("evergate/actors/Roster") {
  static readonly layer: Layer.Layer<Roster> = Layer.sync(Roster, () => {
    const platforms = new Map<PlatformId, Platform>()
    return Roster.of({
      enter: (platform) =>
        Effect.acquireRelease(
          Effect.suspend(() =>
            platforms.has(platform.id)
              ? Effect.die(new Error(`two platforms are attached as "${platform.id}"; give each an id of its own`))
              : Effect.sync(() => platforms.set(platform.id, platform))
          ),
          () => Effect.sync(() => platforms.delete(platform.id))
        ),
      find: (id) => platforms.get(id),
      ids: () => Array.from(platforms.keys())
    })
  })
}
