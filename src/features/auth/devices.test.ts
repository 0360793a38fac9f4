import assert from 'node:assert/strict'
import { test } from 'node:test'
import { people, world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { addDevice } from './sql.ts'

test('a new device beyond the limit replaces the ones that were used least recently', async (t) => {
  const bank = await world(t)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const idOf = (number: number) => `01940000-0000-7000-9000-00000000000${number}`
  const add = (number: number, now: number, countMax = 9) => {
    const device = { id: idOf(number), userId: people.ada.id, tokenHash: Buffer.alloc(32, number) }
    return transaction(db, (tx) => addDevice(tx, { ...device, now }, countMax))
  }
  const start = bank.clock.now()
  // Of two that were used at the same moment, the one that was added first goes first.
  for (const [number, at] of [5, 1, 3, 2, 3].entries()) await add(number, start + at)
  await add(9, start + 6, 3)
  const { rows } = await bank.sql('select id from devices order by id')
  assert.deepEqual(
    rows.map(({ id }) => id),
    [0, 4, 9].map(idOf),
  )
})
