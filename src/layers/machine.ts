/** This machine, as the doctor looks at it. */
import { Context, Effect, Layer, Option } from "effect"
import { HttpClient } from "effect/http/HttpClient"
import type { PlatformSettings } from "../config/Settings.ts"
import type { LockView } from "../doctor/Machine.ts"
import { Machine } from "../doctor/Machine.ts"
import * as Feishu from "../platforms/feishu/Feishu.ts"
import * as AccountLocks from "./AccountLocks.ts"
import * as Egress from "./Egress.ts"
import { exposed } from "./exposure.ts"
import { isAlive, isHere, parse } from "./holder.ts"
import * as HomeLock from "./HomeLock.ts"
import * as LockFile from "./lockFile.ts"
import { route } from "./proxy.ts"
import { services } from "./serviceView.ts"
import { freeBytes, look } from "./storeView.ts"
import { version } from "./version.ts"
import * as Way from "./way.ts"

/** The lock as it lies there, whoever left it. */
const lockView = (path: string): Effect.Effect<LockView> =>
  LockFile.read(path).pipe(
    Effect.map((text): LockView => {
      const holder = Option.flatMap(text, parse)
      if (Option.isNone(holder)) return { _tag: "Free" }
      const { home = null, host, pid } = holder.value
      if (!isAlive(holder.value)) return { _tag: "Stale", path, pid }
      return { _tag: "Held", path, pid, host, here: isHere(holder.value), home }
    }),
    Effect.catchTag("LockUnusable", ({ detail }) => Effect.succeed<LockView>({ _tag: "Unreadable", path, detail }))
  )

/** The adapter as the gateway has it, over an egress of its own; it is never told to connect. */
const platformOf = (settings: PlatformSettings, egress: Egress.Options) => {
  switch (settings.kind) {
    case "local":
      return Effect.succeed(null)
    case "feishu":
      return Effect.flatMap(Layer.build(Egress.layer(egress)), (way) =>
        Effect.provideContext(Feishu.make(settings), way)
      )
  }
}

export const layer: Layer.Layer<Machine> = Layer.succeed(
  Machine,
  Machine.of({
    versions: { evergate: version, node: process.versions.node, platform: `${process.platform} ${process.arch}` },
    exposed,
    services,
    homeLock: (home) => lockView(HomeLock.pathOf(home)),
    accountLock: (platform) => {
      const path = AccountLocks.pathOf(platform)
      return path === null ? Effect.succeed(null) : lockView(path)
    },
    wayTo: (origin, proxy, environment) =>
      Effect.map(Layer.build(Egress.layer({ proxy, environment })), (way) =>
        Way.make(origin, route(proxy, environment), Context.get(way, HttpClient))
      ),
    platform: (settings, proxy, environment) => platformOf(settings, { proxy, environment }),
    store: look,
    freeBytes
  })
)
