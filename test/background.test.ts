// The names of what a service asks its database beside its requests, which tests that count or
// disturb the statements of requests leave out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { purgesOf } from '../src/app/core.ts'
import { readConfig } from '../src/config/config.ts'
import { openDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { utcDays } from '../src/domain/days.ts'
import { backgroundStatement } from './support/background.ts'
import { pause } from './support/locks.ts'
import { until } from './support/mailbox.ts'
import { world } from './support/world.ts'

test('an idle bank runs statements of timers and workers, and no others', async (t) => {
  const bank = await world(t)
  const { orders, outbox, paymentLists, webhooks } = bank.running.core
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  const asked = t.mock.method(pg.Client.prototype, 'query').mock
  for (const worker of [orders, outbox, paymentLists, webhooks]) await worker.work()
  const now = bank.clock.now()
  for (const purge of purgesOf(readConfig({}), { info() {} }, () => utcDays)) {
    await transaction(db, (tx) => purge(tx, now))
  }
  const names = asked.calls.map((call) => (call.arguments[0] as { name?: string }).name ?? '')
  const named = new Set(names.filter((name) => name !== ''))
  // One of each worker, and at least one of each purge.
  for (const name of ['orders_take_due', 'mail_take_due', 'lists_take_due', 'drafts_end_due']) {
    assert.ok(named.has(name), name)
  }
  assert.deepEqual(
    [...named].filter((name) => !backgroundStatement.test(name)),
    [],
  )
})

test('a bank that has ended keeps no connection, though its purge has run', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const bank = await world(t, { isPolling: true })
  const queries = async (): Promise<string[]> => {
    const text = `select query from pg_stat_activity, pg_stat_clear_snapshot()
      where datname = current_database() and pid <> pg_backend_pid()`
    return (await bank.sql(text)).rows.map(({ query }) => String(query))
  }
  t.mock.timers.tick(10_000)
  while (!(await queries()).includes('commit')) await pause()
  await bank.running.close()
  await until('all connections end', async () => (await queries()).length === 0)
})
