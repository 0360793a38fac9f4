// Orders on an account that another transaction locks for long are refused, and no others.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { type Bank, bank, callers, code } from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { TransferMovement } from '../rules/movement.ts'
import { stuckAccounts } from './locked-accounts.ts'

/** Locks the account in a transaction that stays open until it is released. */
async function lock(t: TestContext, { address }: Bank, accountId: string, mode: string) {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  await client.query(`select from accounts where id = $1 for ${mode}`, [accountId])
  const pid = (client as unknown as { processID: number }).processID
  return { client, pid, release: () => client.query('rollback') }
}

const untilWaiting = ({ sql }: Bank) =>
  until('the batch waits', async () => {
    const rows = await sql(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })

for (const mode of ['update', 'no key update', 'share']) {
  test(`orders on an account locked for ${mode} by another transaction are refused, and no others`, async (t) => {
    const fixture = await bank(t)
    const { ledger, account, movement, balance } = fixture
    const cash = bankAccount('cash', 'EUR')
    const [stuck, from, to] = [await account(100n), await account(100n), await account()]
    const { release } = await lock(t, fixture, stuck, mode)
    const pay = (reference: string, more?: Partial<TransferMovement>) =>
      code(ledger.submit(movement(from, to, { reference, ...more })))
    const deposit = (toAccountId: string, reference: string) =>
      code(
        ledger.submit({
          ...movement(cash, toAccountId, { reference, caller: callers.root }),
          kind: 'deposit',
        }),
      )
    const wave = (name: string) => {
      const onStuck = ['a', 'b', 'c'].flatMap((letter) => [
        pay(name + letter, { fromAccountId: stuck }),
        pay(name + letter, { toAccountId: stuck }),
        deposit(stuck, name + letter),
      ])
      const others = ['d', 'e', 'f'].flatMap((letter) => [
        pay(name + letter),
        deposit(to, name + letter),
      ])
      return Promise.all([Promise.all(onStuck), Promise.all(others)])
    }
    const expected = [Array(9).fill('unavailable'), Array(6).fill('done')]

    assert.deepEqual(await wave('first'), expected)
    // The account is known to be stuck: nothing waits for its lock any more. The best of three: a
    // machine may be busy.
    const tookMs: number[] = []
    for (const name of ['second', 'third', 'fourth']) {
      const startedAt = performance.now()
      assert.deepEqual(await wave(name), expected)
      tookMs.push(performance.now() - startedAt)
    }
    assert.ok(Math.min(...tookMs) < 1400, `the waves behind the first took ${tookMs.join()} ms`)
    await release()
    assert.equal(await pay('free', { fromAccountId: stuck }), 'done')
    assert.deepEqual([await balance(stuck), await balance(to)], [99n, 25n])
  })
}

test('while a batch waits for a lock, the movements behind it do not', async (t) => {
  const fixture = await bank(t)
  const { ledger, account, movement } = fixture
  const [stuck, from, to] = [await account(100n), await account(100n), await account()]
  await lock(t, fixture, stuck, 'update')
  let isAnswered = false
  const waiting = code(ledger.submit(movement(stuck, to))).finally(() => (isAnswered = true))
  await untilWaiting(fixture)
  // Not to the same account: it may be locked by the batch that waits.
  const other = await account()
  for (const reference of ['one', 'two']) {
    assert.equal(await code(ledger.submit(movement(from, other, { reference }))), 'done')
  }
  assert.equal(isAnswered, false)
  assert.equal(await waiting, 'unavailable')
})

test('an account is not stuck when the transaction that locks it waits for a stuck one', async (t) => {
  const fixture = await bank(t)
  const { db, account, movement, sql } = fixture
  const [stuck, waiting, free] = [await account(), await account(), await account()]
  await lock(t, fixture, stuck, 'update')
  const behind = await lock(t, fixture, waiting, 'no key update')
  const blocked = behind.client.query('select from accounts where id = $1 for update', [stuck])
  blocked.catch(() => {})
  await until('its wait', async () => {
    const rows = await sql(`select 1 from pg_locks where pid = $1 and not granted`, [behind.pid])
    return rows.length > 0
  })
  const accounts = stuckAccounts(db)
  await accounts.find([movement(stuck, free), movement(waiting, free)])
  const known = [stuck, waiting, free].map((id) => accounts.isKnown(movement(id, id)))
  assert.deepEqual(known, [true, false, false])
})

/** Another transaction, which claims keys of Ada's and stays open until it is released. */
async function claiming(t: TestContext, fixture: Bank) {
  const { client, release } = await lock(t, fixture, await fixture.account(), 'update')
  const claim = (key: string) =>
    client.query(
      `insert into claims (caller_id, key, fingerprint, refusal, claimed_at)
       values ($1, $2, $1, 'insufficient_funds', now())`,
      [callers.ada.userId, key],
    )
  return { client, release, claim }
}

test('batches of two instances wait for claims in one direction only', async (t) => {
  const fixture = await bank(t)
  const { ledger, account, movement } = fixture
  const [from, to] = [await account(100n), await account()]
  const { client, release, claim } = await claiming(t, fixture)
  await claim('b')
  const paying = ['c', 'b', 'd'].map((key) => code(ledger.submit(movement(from, to, { key }))))
  await untilWaiting(fixture)
  // The batch has claimed none. With `c` or `d` claimed, each would wait for the other.
  await client.query('set lock_timeout to 200')
  await claim('c')
  await claim('d')
  await release()
  assert.deepEqual(await Promise.all(paying), ['done', 'done', 'done'])
})

test('a movement whose key another transaction claims for long is refused, and no other of its batch', async (t) => {
  const fixture = await bank(t)
  const { ledger, account, movement, balance } = fixture
  const [from, to] = [await account(100n), await account()]
  const { release, claim } = await claiming(t, fixture)
  await claim('b')
  const paying = ['a', 'b', 'c'].map((key) => code(ledger.submit(movement(from, to, { key }))))
  assert.deepEqual(await Promise.all(paying), ['done', 'unavailable', 'done'])
  await release()
  assert.equal(await code(ledger.submit(movement(from, to, { key: 'b' }))), 'done')
  assert.equal(await balance(to), 3n)
})
