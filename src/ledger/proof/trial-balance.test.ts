// The trial balance is zero and final, whatever is posted at the same moment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { bank, callers } from '../../../test/support/bank.ts'
import { many } from '../../../test/support/fixture.ts'
import { readTime } from '../../database/background/clocks.ts'
import { firstId } from '../../domain/ids.ts'
import { type Ledger, openLedger } from '../batch/batch.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import { untilSettled } from '../batch/await-batches.ts'
import { type HeadBefore, headsBefore, readTrialBalance } from './trial-balance.ts'

/** What the entries alone say, by currency and account of the bank. */
const fromEntries = `
  select a.currency, a.code, sum(e.amount)::text as balance
  from entries e join accounts a on a.id = e.account_id where e.created_at < $1
  group by a.currency, a.code order by 1, 2`

test('a trial balance beside 400 payments and postings on two instances is zero, and the same for ever', async (t) => {
  const fixture = await bank(t)
  const { db, clock, sql, account, movement, ledger } = fixture
  const second = openLedger(db, clock)
  t.after(() => second.close())
  const sides = await many(4, () => account(1000n))
  const posting = {
    kind: 'interest',
    fromAccountId: bankAccount('interest', 'EUR'),
    caller: callers.root,
  } as const
  const payment = { isOver: false, readBeside: 0 }
  const pay = async (on: Ledger, name: string) => {
    for (let round = 0; round < 20 || payment.readBeside < 2; round++) {
      await many(10, (index) => {
        const [from, to] = [sides[index % 4], sides[(index + 1 + (round % 3)) % 4]] as [
          string,
          string,
        ]
        const paid = movement(from, to, { key: `${name} ${round} ${index}`, amount: 1n })
        return on.submit(index % 2 === 0 ? paid : { ...paid, ...posting })
      })
    }
  }
  const paying = Promise.all([pay(ledger, 'one'), pay(second, 'two')]).then(
    () => (payment.isOver = true),
  )
  const read: [end: number, balances: unknown][] = []
  while (!payment.isOver && read.length < 500) {
    clock.advance(1)
    const end = clock.now()
    await untilSettled(db)
    const balances = await readTrialBalance(db, end)
    for (const { total } of balances) assert.equal(total, 0n)
    read.push([end, balances])
    if (!payment.isOver) payment.readBeside++
  }
  await paying
  assert.ok(payment.readBeside > 1, 'some were read while orders were under way')
  for (const [end, balances] of read) {
    assert.deepEqual(await readTrialBalance(db, end), balances, 'nothing came later')
  }
  for (const [end, balances] of read.slice(-3)) {
    // As of a bank with more accounts than one statement reads.
    for (const perPage of [1, 3, 7]) {
      assert.deepEqual(await readTrialBalance(db, end, perPage), balances, `${perPage} a page`)
    }
  }
  clock.advance(1)
  const end = clock.now()
  const rows = await sql(fromEntries, [new Date(end)])
  const [euro] = await readTrialBalance(db, end)
  for (const { code, balance } of rows) {
    const line = euro?.lines.find((one) => one.code === code)
    assert.equal(line?.balance, BigInt(String(balance)), String(code))
  }
})

test('of each account the head before a time is that of the last entry before it', async (t) => {
  const { db, clock, sql, account, movement, ledger } = await bank(t)
  const [from, to] = [await account(100n), await account()]
  await ledger.submit(movement(from, to))
  clock.advance(1000)
  const end = clock.now()
  await ledger.submit(movement(from, to, { reference: 'Later' }))
  const young = await account(5n)
  await sql('update accounts set created_at = $2 where id = $1', [young, new Date(end)])
  const heads: HeadBefore[] = []
  for await (const head of headsBefore(db, end)) heads.push(head)
  const entries = await sql(
    `select distinct on (account_id) account_id as "accountId", seq::text, encode(hash, 'hex') as hash
     from entries where created_at < $1 order by account_id, entries.seq desc`,
    [new Date(end)],
  )
  const moved = heads.filter(({ seq }) => seq > 0n)
  assert.deepEqual(
    moved.map(({ accountId, seq, hash }) => ({ accountId, seq: seq.toString(), hash })),
    entries,
  )
  assert.ok(!heads.some(({ accountId }) => accountId === young))
  const ids = heads.map(({ accountId }) => accountId)
  assert.deepEqual(ids, ids.toSorted())
})

test('a time is settled when the batches that had begun by then have ended, whatever begins later', async (t) => {
  const { db, address } = await bank(t)
  const batches = [0, 1].map(
    () => new pg.Client({ ...address, options: '-c search_path=strongroom' }),
  )
  for (const batch of batches) await batch.connect()
  const [earlier, later] = batches as [pg.Client, pg.Client]
  const begin = (batch: pg.Client) => batch.query(`begin; select keep_caller('${firstId}')`)
  await begin(earlier)
  let isSettled = false
  const settled = untilSettled(db).then(() => (isSettled = true))
  // Each read of the locks takes a round trip: several pass in that of this one.
  for (let reads = 0; reads < 20; reads++) await db.run(readTime, [])
  await begin(later)
  await later.query('select pg_sleep(0.1)')
  assert.equal(isSettled, false)
  await earlier.query('commit')
  await settled
  for (const batch of batches) await batch.end()
})
