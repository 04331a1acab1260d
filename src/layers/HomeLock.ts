/** One gateway a home: its lock is `evergate.lock` in the home. */
import type { Option, Scope } from "effect"
import { Effect, Schema } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Holder from "./holder.ts"
import * as LockFile from "./lockFile.ts"

/** Another gateway holds this home. */
export class HomeHeld extends Schema.TaggedError<HomeHeld>()("HomeHeld", {
  path: Schema.String,
  holder: Holder.Holder
}) {
  override get message() {
    const { host, pid } = this.holder
    const what = Holder.isHere(this.holder)
      ? "`evergate stop` ends it, `evergate run --replace` takes over"
      : `if it is gone for good, remove ${this.path}`
    return `another gateway holds this home: process ${pid} on ${host} (${this.path}); ${what}`
  }
}

/** The home cannot be made or written. */
export class HomeUnusable extends Schema.TaggedError<HomeUnusable>()("HomeUnusable", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.path} cannot be used: ${this.detail}; check its owner, its mode and the disk`
  }
}

/** The lock's file of a home. */
export const pathOf = (home: string): string => join(home, "evergate.lock")

const unusable = ({ detail, path }: LockFile.LockUnusable) => new HomeUnusable({ path, detail })

/** Makes the home where there is none, and holds it until the scope closes. `facts`: what is told to whoever comes later. */
export const acquire = (
  home: string,
  facts: Holder.Facts = {}
): Effect.Effect<void, HomeHeld | HomeUnusable, Scope.Scope> =>
  LockFile.attempt(home, () => mkdirSync(home, { recursive: true, mode: 0o700 })).pipe(
    Effect.andThen(LockFile.acquire(pathOf(home), { home, ...facts })),
    Effect.catchTags({
      LockHeld: ({ holder, path }) => Effect.fail(new HomeHeld({ path, holder })),
      LockUnusable: (error) => Effect.fail(unusable(error))
    })
  )

/** Who holds a home now: none where nobody does, or whoever did is gone. */
export const holder = (home: string): Effect.Effect<Option.Option<Holder.Holder>, HomeUnusable> =>
  Effect.mapError(LockFile.holderOf(pathOf(home)), unusable)
