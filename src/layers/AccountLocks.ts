/**
 * One gateway an account on this machine, whatever its home: two would each hear half of what is said. A lock an account, in a
 * folder of the user's own that all of their gateways find: `$XDG_RUNTIME_DIR/evergate`, else one in the folder for temporary
 * files.
 */
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { lstatSync, mkdirSync } from "node:fs"
import { hostname, tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import type { PlatformSettings } from "../config/Settings.ts"
import * as Holder from "./holder.ts"
import { HomeUnusable } from "./HomeLock.ts"
import * as LockFile from "./lockFile.ts"

/** Another gateway on this machine is connected with this account. */
export class AccountHeld extends Schema.TaggedError<AccountHeld>()("AccountHeld", {
  platform: Schema.String,
  account: Schema.String,
  path: Schema.String,
  holder: Holder.Holder
}) {
  override get message() {
    const { home = "?", host, pid } = this.holder
    const hand =
      host === hostname()
        ? `\`EVERGATE_HOME=${home} evergate stop\` ends it, \`evergate run --replace\` takes over`
        : `if it is gone for good, remove ${this.path}`
    return `${this.platform}: another gateway has the account ${this.account}: process ${pid} on ${host}, home ${home}; ${hand}`
  }
}

/** What a platform knows this account by, without its secret; null where there is none. */
const accountOf = (platform: PlatformSettings): string | null => {
  switch (platform.kind) {
    case "local":
      return null
    case "feishu":
      return `${platform.appId} at ${platform.domain}`
  }
}

const folder = (): string =>
  process.env["XDG_RUNTIME_DIR"] === undefined
    ? join(tmpdir(), `evergate-${userInfo().uid}`)
    : join(process.env["XDG_RUNTIME_DIR"], "evergate")

/** In a folder that everybody may write to, somebody else may have been faster. */
const own = (path: string) =>
  LockFile.attempt(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const { mode, uid } = lstatSync(path)
    return uid === userInfo().uid && (mode & 0o022) === 0
  }).pipe(
    Effect.flatMap((isOwn) =>
      isOwn
        ? Effect.void
        : new LockFile.LockUnusable({ path, detail: "it belongs to somebody else, or others may write to it" })
    )
  )

/** The lock's file of an account. */
export const pathOf = (platform: PlatformSettings): string | null => {
  const account = accountOf(platform)
  if (account === null) return null
  const name = createHash("sha256").update(`${platform.kind} ${account}`).digest("hex").slice(0, 24)
  return join(folder(), `${platform.kind}-${name}.lock`)
}

/** Holds the platform's account until the scope closes; a platform without one needs none. */
export const acquire = (
  platform: PlatformSettings,
  facts: Holder.Facts = {}
): Effect.Effect<void, AccountHeld | HomeUnusable, Scope.Scope> => {
  const [path, account] = [pathOf(platform), accountOf(platform)]
  if (path === null || account === null) return Effect.void
  return own(folder()).pipe(
    Effect.andThen(LockFile.acquire(path, facts)),
    Effect.catchTags({
      LockHeld: ({ holder, path }) => Effect.fail(new AccountHeld({ platform: platform.id, account, path, holder })),
      LockUnusable: ({ detail, path }) => Effect.fail(new HomeUnusable({ path, detail }))
    })
  )
}
