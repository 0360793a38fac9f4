import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import type { Database } from '../../database/connections/connect.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { Submit, TransferMovement } from '../../ledger/rules/movement.ts'
import { openDueWorker } from './due-worker.ts'

test('rows of which no payment can be made count as none of others: those behind them are paid', async () => {
  const rows = Array.from({ length: 200 }, (_, number) => ({ number, attempts: 1 }))
  const failed: number[] = []
  let paidCount = 0
  const tx = { run: async () => [] } as unknown as Db
  const db = { runTransaction: (work: (tx: Db) => unknown) => work(tx) } as unknown as Database
  const submit = (async () => void paidCount++) as unknown as Submit
  const worker = openDueWorker(
    {
      db,
      clock: fakeClock(),
      clocks: { require() {} },
      ledger: { askedCount: () => 0, submit },
    },
    {
      onDatabaseAway: assert.fail,
      take: async (_, { count }) => rows.splice(0, count),
      toMovement({ number }) {
        if (number < 100) throw new Error('a defect')
        return {} as TransferMovement
      },
      onFailure: ({ number }) => void failed.push(number),
    },
  )
  await worker.work()
  await worker.close()
  assert.deepEqual([paidCount, failed.length, worker.failedCount()], [100, 100, 100])
})
