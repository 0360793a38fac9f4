// The trail at the end of the service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../../test/support/world.ts'
import { openDatabase } from '../database/connections/connect.ts'
import { Refusal } from '../domain/errors.ts'
import { createLog } from '../telemetry/log.ts'
import { commandEvent } from './sql.ts'
import { openTrail } from './writer.ts'

test('at the end the trail tries five times to write what waits, and only then gives it to the log', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  for (const [failures, lost] of [
    [4, 0],
    [5, 1],
  ] as const) {
    let calls = 0
    const runTransaction: typeof db.runTransaction = (work) => {
      if (++calls <= failures) throw new Refusal('unavailable', { outage: 'database' })
      return db.runTransaction(work)
    }
    // Together longer than the flush interval: what it would begin is no sixth try.
    const options = { retryAfterMs: 20 }
    const trail = openTrail({ ...db, runTransaction }, createLog('silent'), options)
    trail.note(commandEvent(failures, { action: 'backup' }))
    await trail.close()
    assert.deepEqual([calls, trail.counts()], [5, { waiting: 0, lost }])
  }
})
