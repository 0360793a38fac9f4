// Repeatable randomness: the same seed gives the same numbers on every machine.
import fc from 'fast-check'
import { mulberry32 } from '../../demo/chance.ts'

export type Random = {
  /** 0 to `limit` − 1. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  chance(percent: number): boolean
  /** One value of a fast-check arbitrary. */
  draw<T>(arbitrary: fc.Arbitrary<T>): T
}

export function createRandom(seed: number): Random {
  const next = mulberry32(seed)
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    pick: (from) => from[below(from.length)] as never,
    chance: (percent) => below(100) < percent,
    draw: (arbitrary) => fc.sample(arbitrary, { seed: below(2 ** 31), numRuns: 1 })[0] as never,
  }
}
