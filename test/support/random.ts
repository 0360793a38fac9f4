// Randomness that a seed brings back: the same on every machine.
import fc from 'fast-check'

export type Random = {
  /** 0 to `limit` − 1. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  chance(percent: number): boolean
  /** One value of a fast-check arbitrary. */
  draw<T>(arbitrary: fc.Arbitrary<T>): T
}

/** mulberry32: small and fast. */
export function createRandom(seed: number): Random {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (from) => from[below(from.length)] as never,
    chance: (percent) => below(100) < percent,
    draw: (arbitrary) => fc.sample(arbitrary, { seed: below(2 ** 31), numRuns: 1 })[0] as never,
  }
}
