// A short run of the fuzz with every `npm test`; `npm run fuzz` makes long ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missed, run } from './run.ts'
import { seed } from '../support/random.ts'

// Alone it takes 150 s on two free cores; beside other files several times as long.
const timeout = 1_500_000

test(
  'whatever is asked of any route, each answer is as promised and the bank stays sound',
  {
    timeout,
  },
  async (t) => {
    t.diagnostic(`seed ${seed}`)
    const outcome = await run(t, { seed, requests: 7500 })
    assert.deepEqual(outcome.findings, [])
    // Else the run would find nothing because it gets nowhere.
    assert.deepEqual(missed(outcome), [])
    assert.ok(outcome.onPortal > 100, `${outcome.onPortal} were answered on the portal`)
  },
)
