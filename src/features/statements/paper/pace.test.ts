// How long the writer of a PDF works before other requests have their turn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../../../test/support/clock.ts'
import { createPace, sliceMs, type Steps } from './pace.ts'
import { openPaper } from './paper.ts'
import { textStyles } from '../pdf-style.ts'
import { layOutRow } from '../pdf-table.ts'
import { utcDays } from '../../../domain/days.ts'
import { wordsIn } from '../pdf-words.ts'
import type { Entry } from '../rows.ts'

/** A pace with steps of `stepMs`, and the number of steps in each turn of the event loop. */
function observePace(stepMs: number) {
  const clock = fakeClock()
  const turns: number[] = [0]
  let waiting: (() => void)[] = []
  const pace = createPace(clock, () => new Promise<void>((resolve) => waiting.push(resolve)))
  function* counted<T>(steps: Steps<T>): Steps<T> {
    for (let step = steps.next(); ; step = steps.next()) {
      clock.advance(stepMs)
      turns.push((turns.pop() ?? 0) + 1)
      if (step.done) return step.value
      yield
    }
  }
  async function run<T>(works: readonly Steps<T>[]): Promise<T[]> {
    const results: T[] = []
    const runs = works.map(async (work) => results.push(await pace.run(counted(work))))
    while (results.length < works.length) {
      turns.push(0)
      const resumed = waiting
      waiting = []
      // All that wait for the next turn have it.
      for (const resume of resumed) resume()
      await new Promise(setImmediate)
    }
    await Promise.all(runs)
    return results
  }
  return { turns, run }
}

function* steps(count: number): Steps<number> {
  for (let at = 1; at < count; at++) yield
  return count
}

test('all PDFs together work one slice in a turn of the event loop, and each is finished', async () => {
  const { turns, run } = observePace(1)
  const works = [1, 300, 400, 500]
  const results = await run(works.map(steps))
  assert.deepEqual(results, works, 'in the order in which they end')
  // Each has its first step at once.
  assert.ok(Math.max(...turns) <= sliceMs + works.length, turns.join())
})

test('a step that is longer than a slice ends it', async () => {
  const { turns, run } = observePace(3 * sliceMs)
  await run([steps(20)])
  assert.ok(Math.max(...turns) <= 1, turns.join())
})

const stepsOf = (steps: Steps<unknown>): number => {
  let count = 1
  while (!steps.next().done) count++
  return count
}

test('an entry has a step for each word, each new font and each line', () => {
  const paper = openPaper({ title: 'Test', bankName: 'Test', issuedAt: 0, lang: 'en-GB' })
  const words = wordsIn('en', utcDays)
  const entry = (reference: string) =>
    ({ id: 'id', kind: 'transfer', counterparty: null, reference }) as unknown as Entry
  const stepsOfText = (text: string) => stepsOf(layOutRow({ paper, words }, entry(text)))
  const few = stepsOfText('')
  assert.ok(stepsOfText('محمد '.repeat(28)) >= few + 28)
  // Each file of Chinese letters has some of them.
  const letters = Array.from({ length: 40 }, (_, at) => String.fromCodePoint(0x4e00 + 37 * at))
  assert.ok(stepsOfText(letters.join('')) >= few + 40)
  const root = paper.openTag('Document')
  paper.addPage()
  const lines = ['محمد', '王伟', 'plain'].map((text) => ({
    text,
    x: 0,
    y: 9,
    style: textStyles.plain,
  }))
  assert.ok(stepsOf(paper.addTag('P', root, lines)) >= 5)
})
