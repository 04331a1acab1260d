/**
 * By which addresses and which way out this machine is on the network. What is read is the system's affair, so a layer gives
 * it (`layers/Network.ts`); an app that embeds the gateway and gives none has one that waits for its time-outs instead.
 */
import { Context, Effect } from "effect"

/** A text that is another one when the network is; null where nobody looks. */
export const NetworkView = Context.Reference<{ readonly read: Effect.Effect<string | null> }>(
  "evergate/actors/NetworkView",
  { defaultValue: () => ({ read: Effect.succeed(null) }) }
)
