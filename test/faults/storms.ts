// A short storm, as `npm run storm` runs for any time, and the proof that its judge finds defects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPatroni } from '../cluster/patroni-stage.ts'
import { withoutPatroni } from '../cluster/programs.ts'
import { openCluster } from '../cluster/stage.ts'
import { samplesOf } from '../support/sample.ts'
import { bugs } from './bug-table.ts'
import { tryBugs } from './bugs.ts'
import { type Figures, toSummary } from './figures.ts'
import { kill } from './kills.ts'
import { storm } from './storm-run.ts'

function assertClean(figures: Figures, least: number): void {
  assert.equal(figures.violationCount, 0, toSummary(figures))
  const { acknowledged } = figures.payments
  assert.ok(acknowledged >= least, `only ${acknowledged} payments were acknowledged`)
}

test('two minutes of every fault over two instances: nothing lost, nothing doubled, nothing let in late', async (t) => {
  const seed = 20_261_121
  const figures = await storm({ seconds: 120, seed, say: (text) => t.diagnostic(text) })
  t.diagnostic(toSummary(figures))
  assertClean(figures, 100)
})

test('the service and its embedded database, killed in turn under load, come back with everything', async (t) => {
  const figures = await kill({ kills: 8, seed: 7, say: (text) => t.diagnostic(text) })
  t.diagnostic(toSummary(figures))
  assertClean(figures, 10)
  assert.deepEqual(
    Object.values(figures.faults).map(({ count }) => count),
    [4, 4],
  )
})

test('a primary and two standbys, cut off and failed over to: what was acknowledged is on the one promoted last', async (t) => {
  const options = { seconds: 50, seed: 5, say: (text: string) => t.diagnostic(text) }
  const figures = await storm(options, openCluster)
  t.diagnostic(toSummary(figures))
  assertClean(figures, 50)
})

test('three instances behind HAProxy on a cluster with Patroni, whose parts are killed: nothing is lost, and limits and sessions hold', async (t) => {
  if (withoutPatroni) return t.skip(withoutPatroni)
  const kinds = [
    'kill PostgreSQL of the primary',
    'kill a member of etcd',
    'kill an instance',
    'kill the primary',
  ]
  const say = (text: string) => t.diagnostic(text)
  const figures = await storm({ seconds: 0, rounds: 4, kinds, seed: 3, say }, openPatroni)
  t.diagnostic(toSummary(figures))
  assertClean(figures, 50)
})

/** All of them: `npm run storm -- --bugs`. */
const some = [
  'no-lock',
  'forgotten-claim',
  'early-answer',
  'kept-session',
  'unheard-warning',
  'no-barrier',
  'forgotten-line',
  'forgotten-number',
  'lost-return',
  'renumbering-rail',
  'forgotten-refund',
  'kept-credit',
]

/** Of these a run takes a few, other ones each time: one is a storm of its own. */
const eachRun = 2

test('a service with a known defect is found out', async (t) => {
  for (const name of samplesOf(t)(some, eachRun)) {
    await t.test(`one that ${bugs[name]?.does}`, async () => {
      const [found] = await tryBugs({ seed: 5, names: [name] })
      assert.notEqual(found?.verdict, undefined, found?.violations.join('\n'))
    })
  }
})
