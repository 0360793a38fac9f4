// Repeatable randomness: the same seed gives the same numbers on every machine. FUZZ_SEED=<seed>
// takes another one.
import fc from 'fast-check'
import { mulberry32 } from '../../demo/chance.ts'

/** Of all tests that draw their input. Fixed: a change is judged by what it does, not by luck. */
export const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_126)

fc.configureGlobal({ seed })

export { fc }

export type Random = {
  /** 0 to `limit` − 1. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  chance(percent: number): boolean
  /** In another order. */
  shuffle<T>(from: readonly T[]): T[]
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
    shuffle(from) {
      const left = [...from]
      return from.map(() => left.splice(below(left.length), 1)[0] as never)
    },
    draw: (arbitrary) => fc.sample(arbitrary, { seed: below(2 ** 31), numRuns: 1 })[0] as never,
  }
}
