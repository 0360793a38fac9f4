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
