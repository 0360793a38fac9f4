// Repeatable randomness: the same seed and name give the same numbers on every machine. Each name
// has a stream of its own, so one more draw from it does not change the others. Not for secrets.
import { hash } from 'node:crypto'

export type Chance = {
  /** A whole number from 0 up to, but not including, the bound. */
  below(bound: number): number
  /** A whole number from the first to the last, both included. */
  between(first: number, last: number): number
  happens(percent: number): boolean
  pick<T>(items: readonly T[]): T
  /** That many decimal digits. */
  digits(count: number): string
}

export function createRandom(seed: string, name: string): Chance {
  const next = mulberry32(hash('sha256', `${seed} ${name}`, 'buffer').readInt32LE(0))
  const below = (bound: number): number => next() % bound
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    happens: (percent) => below(100) < percent,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
  }
}

/** A generator of whole numbers of 32 bits: small, fast, and not secure. */
export function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
