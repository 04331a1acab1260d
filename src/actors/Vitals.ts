/**
 * How the process itself is: its event loop, its fibers, its memory. What is measured is the runtime's affair, so a layer
 * gives it (`layers/vitals.ts`); an app that embeds the gateway and gives none has a gateway that does not know.
 */
import { Context, Effect } from "effect"

export interface VitalSigns {
  /** How late the event loop was in the last ten seconds, at the 99th percentile. */
  readonly loopDelayMillis: number
  /** The worst of the last five minutes. */
  readonly loopDelayMostMillis: number
  /** That live now. */
  readonly fibers: number
  readonly heapUsedBytes: number
  /** Past this the process would be ended. */
  readonly heapLimitBytes: number
  readonly residentBytes: number
  /** The processor's time that was used, by this process. */
  readonly cpuSeconds: number
}

/** Null where nobody measures. */
export const Vitals = Context.Reference<{ readonly read: Effect.Effect<VitalSigns | null> }>("evergate/actors/Vitals", {
  defaultValue: () => ({ read: Effect.succeed(null) })
})
