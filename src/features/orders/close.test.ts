// The end of an account with more standing orders than one statement can write in its time.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bank } from '../../../test/support/bank.ts'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { eraseBefore, eraseOfAccount } from '../../ledger/erasure/erase.ts'
import { sweepOrderTexts } from '../../ledger/erasure/order-texts.ts'
import { writeClosed } from '../accounts/sql.ts'

const ended = 3000

/** Two accounts, one of them with 3,000 ended orders, a paused one and one that waits for money. */
async function fixture(t: TestContext) {
  const made = await bank(t)
  const { db, sql, clock } = made
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const [account, other] = [await made.account(), await made.account()]
  const add = (accountId: string, status: string, more: Record<string, string>, count = 1) => {
    const names = Object.keys(more).map((name) => `, ${name}`)
    return sql(
      `with made as (
         insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
           to_account_id, amount, reference, rhythm, first_on, retry_days, created_at, status
           ${names.join('')})
         select ('01900000' || substr(gen_random_uuid()::text, 9))::uuid, id, owner_id, owner_id,
           id, false, id, 100, 'Rent', 'weekly', '2025-01-01', 5, '2025-01-01', $2
           ${Object.values(more)
             .map((value) => `, ${value}`)
             .join('')}
         from accounts, generate_series(1, $3::int4) where id = $1 returning id, status
       )
       insert into standing_order_runs (order_id, due_on, outcome, refusal, at)
       select id, '2025-01-01', case when status = 'active' then 'waiting' else 'refused' end,
         'insufficient_funds', '2025-01-01' from made`,
      [accountId, status, count],
    )
  }
  await add(account, 'ended', {}, ended)
  await add(account, 'paused', { next_on: `'2025-01-08'`, paused_because: `'owner'` })
  await add(account, 'active', { next_on: `'2025-01-01'`, tried_on: `'2025-01-01'` })
  await add(other, 'ended', {})
  const event = commandEvent(clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  const count = async (table: string, which: string): Promise<unknown> =>
    (await sql(`select count(*)::int as count from ${table} where ${which}`))[0]?.['count']
  return {
    ...made,
    owner,
    account,
    other,
    event: event.id,
    count,
    withText: (accountId: string) =>
      count('standing_orders', `account_id = '${accountId}' and reference <> ''`),
    close: (accountId: string) => transaction(db, (tx) => writeClosed(tx, accountId)),
  }
}

test('a close writes no order that has ended and none of its runs, and ends all others', async (t) => {
  const { sql, account, count, close } = await fixture(t)
  const snapshot = 'select pg_current_snapshot()::text as snapshot'
  const [before] = await sql(snapshot)
  const written = `not pg_visible_in_snapshot(
    xmin::text::xid8, '${String(before?.['snapshot'])}'::pg_snapshot)`
  await close(account)
  assert.equal(await count('standing_orders', written), 2)
  assert.equal(await count('standing_order_runs', written), 1)
  assert.equal(await count('standing_orders', `status <> 'ended' and account_id = '${account}'`), 0)
  assert.equal(await count('standing_order_runs', `outcome = 'waiting'`), 0)
})

test('the texts of the ended orders of a closed account are erased after it, a page at a time', async (t) => {
  const { db, account, other, withText, count, close } = await fixture(t)
  const sweep = () => transaction(db, (tx) => sweepOrderTexts(tx, 0))
  assert.equal(await sweep(), false)
  await close(account)
  const left: unknown[] = []
  do left.push(await withText(account))
  while (await sweep())
  // A page may hold the two that the close has ended.
  assert.equal(left[0], ended)
  assert.ok(left.length >= 4, left.join())
  assert.equal(left.at(-1), 0)
  assert.equal(await withText(other), 1, 'an open account keeps them')
  assert.equal(await count('order_erasures', 'true'), 0)
})

test('the erasure of a person leaves no text of ended orders, whether or not the sweep was there', async (t) => {
  const { owner, account, other, event, withText, count, close } = await fixture(t)
  await close(account)
  await close(other)
  await eraseOfAccount(owner, account, event)
  assert.equal(await withText(account), 0)
  assert.equal(await withText(other), 1)
  assert.equal(await count('order_erasures', 'true'), 1)
})

test('an erasure of a time reads ended orders in pages, and leaves those that go on', async (t) => {
  const { owner, clock, account, other, event, withText } = await fixture(t)
  await eraseBefore(owner, clock.now(), event)
  assert.equal(await withText(account), 2)
  assert.equal(await withText(other), 0)
})
