/** A long-lived part of the gateway, as the register has it and as others see it. */
import type { PlatformId } from "../domain/Address.ts"

/** Times are milliseconds: Unix for `startedAt` and `progressAt`. */
export interface Part {
  readonly name: string
  /** Whose it is; null of what belongs to no platform. */
  readonly platform: PlatformId | null
  /** Of its present life. */
  readonly startedAt: number
  readonly restarts: number
  /** How many of a crew are at work; null of what is no crew. */
  readonly working: number | null
  readonly progressAt: number
  /** It missed its own deadline by this much; null when it did not. */
  readonly overdueMillis: number | null
}

/** What a part writes about itself. */
export interface PartRecord {
  readonly name: string
  readonly platform: PlatformId | null
  startedAt: number
  restarts: number
  progressAt: number
  working: () => number | null
  /** Monotonic milliseconds. */
  dueAt: () => number
}

/** One that begins now; its first stamp is due within a minute. */
export const makePart = (name: string, platform: PlatformId | null, wall: number, now: number): PartRecord => ({
  name,
  platform,
  startedAt: wall,
  restarts: 0,
  progressAt: wall,
  working: () => null,
  dueAt: () => now + 60_000
})

export const partOf = ({ working, dueAt, ...record }: PartRecord, now: number): Part => ({
  ...record,
  working: working(),
  overdueMillis: now > dueAt() ? now - dueAt() : null
})
