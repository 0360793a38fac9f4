// Whether a probe of a synchronous standby still waits, which another connection asks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { bank } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { one } from '../statements/statement.ts'
import { isTransactionOpen } from './standby.ts'

test('a back end is within a transaction or not, and what else it holds is not asked', async (t) => {
  const { db, address } = await bank(t)
  const client = new pg.Client(address)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const pid = rows[0]?.pid as number
  const isOpen = async () => (await one(db, isTransactionOpen, [pid]))?.is
  for (const [command, expected] of [
    ['select 1', false],
    ['select pg_advisory_lock(1)', false],
    ['begin', true],
    ['select count(*) from pg_class', true],
    [`select pg_logical_emit_message(true, 'test', '')`, true],
    ['commit', false],
    ['begin', true],
    ['rollback', false],
    ['begin', true],
  ] as const) {
    await client.query(command)
    assert.equal(await isOpen(), expected, command)
  }
  await client.end()
  await until('the end', async () => (await isOpen()) === false)
})
