// Products of cases that are too long for each run of `npm test`: it takes another sample of them
// each time, and `npm run test:nightly` takes all. SAMPLE_SEED=<seed> repeats a sample.
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createRandom } from '../../demo/chance.ts'

/** Whether all cases are run. */
const isNightly = process.env['NIGHTLY'] === '1'

/** The processes of a run have one seed, which `test/run.ts` sets and prints. */
const seed = (process.env['SAMPLE_SEED'] ??= String(randomInt(2 ** 31)))

/** For fast-check: that many examples, other ones each time; four times as many at night. */
export const examples = (numRuns: number): { numRuns: number; seed: number } => ({
  numRuns: isNightly ? 4 * numRuns : numRuns,
  seed: Number(seed),
})

type Sample = <C>(cases: readonly C[], count: number) => readonly C[]

/**
 * The samples of one test or suite, which do not depend on what other tests draw.
 *
 * @returns gives that many of the cases, in their order; all of them in the nightly run
 */
export function samplesOf(t: Pick<TestContext, 'name' | 'diagnostic'>): Sample {
  const { below } = createRandom(seed, t.name)
  if (!isNightly) t.diagnostic(`a sample: SAMPLE_SEED=${seed}`)
  return (cases, count) => {
    if (isNightly) return cases
    const chosen = new Set<number>()
    while (chosen.size < Math.min(count, cases.length)) chosen.add(below(cases.length))
    return cases.filter((_, index) => chosen.has(index))
  }
}
