import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bank } from '../../test/support/bank.ts'
import { migrate } from './migrate.ts'

test('a database that lacks a migration before its last one is not changed', async (t) => {
  const { address, sql } = await bank(t)
  assert.deepEqual(await migrate(address), [], 'nothing is new')
  const names = 'select name from strongroom.migrations order by id'
  const [, second] = await sql(names)
  await sql('delete from strongroom.migrations where name = $1', [second?.['name']])
  const left = await sql(names)
  await assert.rejects(migrate(address), /Not run migration \S+ is preceding already run migration/)
  assert.deepEqual(await sql(names), left)
})
