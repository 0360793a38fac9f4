// Compares the times of two operations. Samples are taken in turn, in a new random order each
// round, so that other load on the machine affects all alike; no single sample decides.
import { performance } from 'node:perf_hooks'
import type { Random } from './random.ts'

/** Milliseconds by kind; the same index is the same round. */
export type Samples = Record<string, number[]>

/** Each kind once in each round, one at a time; some rounds first that do not count. */
export async function interleave(
  kinds: Record<string, () => Promise<unknown>>,
  rounds: number,
  random: Random,
): Promise<Samples> {
  const entries = Object.entries(kinds)
  const samples: Samples = Object.fromEntries(entries.map(([name]) => [name, []]))
  const unmeasured = 5
  for (let round = -unmeasured; round < rounds; round++) {
    for (const [name, work] of random.shuffle(entries)) {
      const started = performance.now()
      await work()
      if (round >= 0) samples[name]?.push(performance.now() - started)
    }
  }
  return samples
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

export type Difference = {
  /** Median of the differences within the rounds, in milliseconds. */
  shift: number
  /** The share of pairs in which the first takes longer: one half when they are alike. */
  superiority: number
}

/** The effect, not its significance: with enough samples any two things differ significantly. */
export function compareTimes(one: readonly number[], other: readonly number[]): Difference {
  const shift = median(one.map((value, round) => value - (other[round] ?? Number.NaN)))
  let longer = 0
  for (const value of one) {
    for (const against of other) longer += value > against ? 1 : value === against ? 0.5 : 0
  }
  return { shift, superiority: longer / (one.length * other.length) }
}

/** Every two kinds of some samples. */
export function toPairs(samples: Samples): [one: string, other: string, Difference][] {
  const entries = Object.entries(samples)
  return entries.flatMap(([one, times], index) =>
    entries
      .slice(index + 1)
      .map(([other, others]): [string, string, Difference] => [
        one,
        other,
        compareTimes(times, others),
      ]),
  )
}
