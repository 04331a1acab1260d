/** A connection a platform, each on its own; says how all of them are, and when none has come back for too long. */
import type { Effect, Stream } from "effect"
import { Context } from "effect"
import type { PlatformId } from "../domain/Address.ts"
import type { LinkStatus } from "../domain/LinkState.ts"
import type { PlatformHost } from "../platforms/Platform.ts"

/** A link as the status shows it. Silences are null while there is no link. */
export interface LinkReport extends LinkStatus {
  readonly auxiliary: boolean
  readonly lastFrameAt: number | null
  readonly lastInboundAt: number | null
  readonly lastSentAt: number | null
  readonly pathSilenceMillis: number | null
  readonly sessionSilenceMillis: number | null
  readonly server: Readonly<Record<string, unknown>>
}

export class Supervisor extends Context.Service<
  Supervisor,
  {
    readonly attach: PlatformHost["Service"]["attach"]
    readonly links: Effect.Effect<ReadonlyArray<LinkReport>>
    readonly changes: Stream.Stream<LinkStatus>
    /** By hand: a link that waits tries now, one that is up is replaced. False when there is none of this name. */
    readonly reconnect: (id: PlatformId) => Effect.Effect<boolean>
  }
>()("evergate/actors/Supervisor") {}
