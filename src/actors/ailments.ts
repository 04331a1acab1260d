/**
 * When vital signs are bad: a late event loop, a number of fibers that only grows, memory near its limit. Pure. Each has to
 * be bad, or well, in several looks one after the other, so that one busy moment is no alarm.
 */
import type { VitalSigns } from "./Vitals.ts"

export interface AilmentLimits {
  readonly loopDelayMillis: number
  /** Of the limit of the heap. */
  readonly heapShare: number
  /** Looks in a row that decide. */
  readonly looks: number
  /** Looks whose least number of fibers stands for them. */
  readonly fiberWindow: number
  /** Windows in a row in each of which that number was higher than before, and by how much in all. */
  readonly fiberWindows: number
  readonly fiberGrowth: number
}

/** A look is every ten seconds. */
export const defaultLimits: AilmentLimits = {
  loopDelayMillis: 250,
  heapShare: 0.9,
  looks: 3,
  fiberWindow: 30,
  fiberWindows: 6,
  fiberGrowth: 500
}

export interface Ailment {
  readonly what: "the event loop is late" | "fibers only grow" | "memory is near its limit"
  readonly fields: Readonly<Record<string, number>>
  readonly hint: string
}

export interface AilmentMemory {
  /** Of each: in how many looks in a row it was other than what was told of it. */
  readonly contrary: Readonly<Partial<Record<Ailment["what"], number>>>
  readonly told: ReadonlySet<Ailment["what"]>
  /** Of the present window, then the least of each one before it, newest last. */
  readonly fibers: { readonly looks: number; readonly least: number; readonly windows: ReadonlyArray<number> }
}

export const nothingSeen: AilmentMemory = {
  contrary: {},
  told: new Set(),
  fibers: { looks: 0, least: Number.POSITIVE_INFINITY, windows: [] }
}

export interface Examined {
  readonly memory: AilmentMemory
  readonly raised: ReadonlyArray<Ailment>
  readonly cleared: ReadonlyArray<Ailment["what"]>
}

export const examine = (memory: AilmentMemory, signs: VitalSigns, limits: AilmentLimits): Examined => {
  const fibers = counted(memory.fibers, signs.fibers, limits)
  const told = new Set(memory.told)
  const contrary: Partial<Record<Ailment["what"], number>> = {}
  const raised: Array<Ailment> = []
  const cleared: Array<Ailment["what"]> = []
  for (const { ailment, isBad, looks } of findings(signs, fibers, limits)) {
    const { what } = ailment
    const seen = isBad === told.has(what) ? 0 : (memory.contrary[what] ?? 0) + 1
    contrary[what] = seen < looks ? seen : 0
    if (seen < looks) continue
    if (isBad) {
      told.add(what)
      raised.push(ailment)
    } else {
      told.delete(what)
      cleared.push(what)
    }
  }
  return { memory: { contrary, told, fibers }, raised, cleared }
}

const findings = (signs: VitalSigns, { windows }: AilmentMemory["fibers"], limits: AilmentLimits) => [
  {
    isBad: signs.loopDelayMillis >= limits.loopDelayMillis,
    looks: limits.looks,
    ailment: {
      what: "the event loop is late",
      fields: { loopDelayMs: Math.round(signs.loopDelayMillis) },
      hint: "something computes for long, or the machine is too small: heartbeats and answers come late"
    } satisfies Ailment
  },
  {
    isBad: signs.heapUsedBytes >= signs.heapLimitBytes * limits.heapShare,
    looks: limits.looks,
    ailment: {
      what: "memory is near its limit",
      fields: { heapUsedBytes: signs.heapUsedBytes, heapLimitBytes: signs.heapLimitBytes },
      hint: "at the limit the process ends; raise it by NODE_OPTIONS=--max-old-space-size=<MiB>"
    } satisfies Ailment
  },
  {
    isBad: isGrowing(windows, limits),
    looks: 1,
    ailment: {
      what: "fibers only grow",
      fields: { fibers: signs.fibers, before: windows[0] ?? 0 },
      hint: "a leak: please report it with the output of `evergate top`; a restart heals it for a time"
    } satisfies Ailment
  }
]

/** The least of a window is what is left when a burst of work is over. */
const counted = (
  { least, looks, windows }: AilmentMemory["fibers"],
  now: number,
  { fiberWindow, fiberWindows }: AilmentLimits
): AilmentMemory["fibers"] => {
  const lowest = Math.min(least, now)
  if (looks + 1 < fiberWindow) return { looks: looks + 1, least: lowest, windows }
  return { looks: 0, least: Number.POSITIVE_INFINITY, windows: [...windows, lowest].slice(-fiberWindows - 1) }
}

const isGrowing = (windows: ReadonlyArray<number>, { fiberGrowth, fiberWindows }: AilmentLimits): boolean => {
  const [first, ...others] = windows
  if (first === undefined || others.length < fiberWindows) return false
  return (
    windows.every((least, i) => i === 0 || least > (windows[i - 1] ?? 0)) &&
    (windows.at(-1) ?? 0) - first >= fiberGrowth
  )
}
