// The background job of the purges: what fails in it is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { bank } from '../../../test/support/bank.ts'
import { systemClock } from '../../domain/clock.ts'
import { startPurge } from './purge.ts'
import { statement } from '../statements/statement.ts'

const divide = statement('purge_test_divide', ['int8'], { is: 'int8' }, 'select 1 / $1 as is')

test('a purge that the database refuses is told of once, and again after one that ran', async (t) => {
  const { db } = await bank(t)
  const state = { divisor: 0n, runs: 0 }
  const told: unknown[] = []
  t.mock.timers.enable({ apis: ['setInterval'] })
  const purge = startPurge(
    db,
    systemClock(),
    [
      async (tx) => {
        state.runs++
        await tx.run(divide, [state.divisor])
        return false
      },
    ],
    (thrown) => void told.push((thrown as { code?: string }).code),
  )
  const runNext = async () => {
    const next = state.runs + 1
    // A tick while the run before is ending starts none.
    while (state.runs < next) {
      t.mock.timers.tick(10_000)
      await turn()
    }
  }
  await runNext()
  await runNext()
  await runNext()
  state.divisor = 1n
  await runNext()
  await runNext()
  state.divisor = 0n
  await runNext()
  await purge.stop()
  assert.deepEqual(told, ['22012', '22012'])
})
