/** Who sleeps until when: a binary heap by time, and by order of arrival where times are equal. */

export interface Timers<A> {
  /** Returns how to take it back: true where it was still there. */
  readonly add: (at: number, item: A) => () => boolean
  /** Takes out everything that is due next, at one instant; null when there is nothing. */
  readonly next: () => { readonly at: number; readonly items: ReadonlyArray<A> } | null
  readonly drop: (which: (item: A) => boolean) => void
}

interface Entry<A> {
  readonly at: number
  readonly serial: number
  readonly item: A
  live: boolean
}

export const makeTimers = <A>(): Timers<A> => {
  const heap: Array<Entry<A>> = []
  let serial = 0

  const before = (one: number, other: number): boolean => {
    const [a, b] = [heap[one], heap[other]]
    if (a === undefined || b === undefined) return a !== undefined
    return a.at < b.at || (a.at === b.at && a.serial < b.serial)
  }
  const swap = (one: number, other: number): void => {
    const [a, b] = [heap[one], heap[other]]
    if (a === undefined || b === undefined) return
    heap[one] = b
    heap[other] = a
  }
  const rise = (index: number): void => {
    for (let i = index; i > 0;) {
      const parent = (i - 1) >> 1
      if (!before(i, parent)) return
      swap(i, parent)
      i = parent
    }
  }
  const sink = (index: number): void => {
    for (let i = index; ;) {
      const left = 2 * i + 1
      const child = before(left + 1, left) ? left + 1 : left
      if (!before(child, i)) return
      swap(i, child)
      i = child
    }
  }
  const pop = (): Entry<A> | undefined => {
    const [first] = heap
    const last = heap.pop()
    if (last !== undefined && last !== first) {
      heap[0] = last
      sink(0)
    }
    return first
  }
  /** The first that is not taken back. */
  const peek = (): Entry<A> | undefined => {
    while (heap[0]?.live === false) pop()
    return heap[0]
  }

  return {
    add: (at, item) => {
      const entry: Entry<A> = { at, serial: serial++, item, live: true }
      heap.push(entry)
      rise(heap.length - 1)
      return () => {
        const was = entry.live
        entry.live = false
        return was
      }
    },
    next: () => {
      const first = peek()
      if (first === undefined) return null
      const items: Array<A> = []
      for (let entry = peek(); entry?.at === first.at; entry = peek()) {
        entry.live = false
        items.push(entry.item)
        pop()
      }
      return { at: first.at, items }
    },
    drop: (which) => {
      for (const entry of heap) if (which(entry.item)) entry.live = false
    }
  }
}
