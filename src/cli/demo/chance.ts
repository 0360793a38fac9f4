// Chance that can be repeated: the same seed and name give the same numbers on every machine. Each
// thing draws from a stream of its own, so that one more of it does not change the others. For
// stories only; what has to be secret comes from node:crypto.
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
  let state = hash('sha256', `${seed} ${name}`, 'buffer').readInt32LE(0)

  /** 32 bits by mulberry32: small, and good enough for who buys bread. */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  const below = (bound: number): number => next() % bound
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    happens: (percent) => below(100) < percent,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
  }
}
