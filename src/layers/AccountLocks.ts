/**
 * One gateway an account, across the homes of a user on this machine: two connections of one account would take each other's
 * messages. The locks lie where every gateway of the user looks, whatever its home and its shell: `~/.evergate/locks`.
 */
import type { Scope } from "effect"
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { PlatformSettings } from "../config/Settings.ts"
import { baseOf } from "../platforms/feishu/Feishu.ts"
import * as Holder from "./holder.ts"
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
    const hand = Holder.isHere(this.holder)
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
      return `${platform.appId} at ${baseOf(platform.domain)[0]}`
  }
}

const folder = join(homedir(), ".evergate", "locks")

/** The lock's file of an account, which shows no more of it than its kind; null where any number may speak for it. */
export const pathOf = (platform: PlatformSettings): string | null => {
  const account = accountOf(platform)
  if (account === null) return null
  const hash = createHash("sha256").update(account).digest("hex")
  return join(folder, `${platform.kind}-${hash.slice(0, 24)}.lock`)
}

/** Accounts that are held, by the lock's file; each until its scope closes. */
export type Locked = ReadonlyMap<string, Scope.Closeable>

/** Holds the platform's account until the scope closes. Where no lock can be kept the gateway runs without, and says so. */
export const acquire = (
  platform: PlatformSettings,
  facts: Holder.Facts = {}
): Effect.Effect<void, AccountHeld, Scope.Scope> => {
  const [path, account] = [pathOf(platform), accountOf(platform)]
  if (path === null || account === null) return Effect.void
  return LockFile.attempt(path, () => mkdirSync(folder, { recursive: true, mode: 0o700 })).pipe(
    Effect.andThen(LockFile.acquire(path, facts)),
    Effect.catchTags({
      LockHeld: ({ holder }) => Effect.fail(new AccountHeld({ platform: platform.id, account, path, holder })),
      LockUnusable: ({ detail }) =>
        Effect.logWarning("no lock for the account: a second gateway on it would not be noticed").pipe(
          Effect.annotateLogs({ platform: platform.id, path, detail })
        )
    })
  )
}

/** Who holds the platform's account now; none also where nothing can be known. */
export const holder = (platform: PlatformSettings): Effect.Effect<Option.Option<Holder.Holder>> => {
  const path = pathOf(platform)
  return path === null ? Effect.succeedNone : Effect.orElseSucceed(LockFile.holderOf(path), () => Option.none())
}
