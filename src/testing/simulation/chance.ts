/** Seeded chance for what is decided outside of the gateway: whose turn it is, and what goes wrong. Mulberry32, small and quick. */

export interface Chance {
  /** In `[0, 1)`. */
  readonly next: () => number
  /** A whole number in `[0, bound)`. */
  readonly below: (bound: number) => number
  /** A whole number from `least` to `most`. */
  readonly between: (least: number, most: number) => number
  readonly happens: (probability: number) => boolean
  readonly pick: <const A>(from: readonly [A, ...ReadonlyArray<A>]) => A
  readonly shuffle: <A>(items: ReadonlyArray<A>) => ReadonlyArray<A>
}

export const makeChance = (seed: number): Chance => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (probability) => next() < probability,
    pick: (from) => from[below(from.length)] ?? from[0],
    shuffle: (items) =>
      items
        .map((item) => ({ item, key: next() }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ item }) => item)
  }
}
