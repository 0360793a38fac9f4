// An account that another transaction holds for long has its orders refused, and no others are.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { type Bank, bank, code, sessions } from '../../test/support/bank.ts'
import { until } from '../../test/support/mailbox.ts'
import { people } from '../../test/support/people.ts'
import { bankAccount } from './internal-accounts.ts'
import type { Order } from './order.ts'
import { stuckAccounts } from './stuck.ts'

/** Holds the account as an operator's open transaction does, until it is let go. */
async function hold(t: TestContext, { address }: Bank, accountId: string, mode: string) {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  await client.query(`select from accounts where id = $1 for ${mode}`, [accountId])
  const pid = (client as unknown as { processID: number }).processID
  return { client, pid, letGo: () => client.query('rollback') }
}

const caller = {
  userId: people.root.id,
  sessionId: sessions.root,
  kid: null,
  role: 'admin',
} as const

for (const mode of ['update', 'no key update', 'share']) {
  test(`an account held for ${mode} by another transaction: its orders are refused, and none beside them`, async (t) => {
    const made = await bank(t)
    const { ledger, account, order, balance } = made
    const cash = bankAccount('cash', 'EUR')
    const [stuck, from, to] = [await account(100n), await account(100n), await account()]
    const { letGo } = await hold(t, made, stuck, mode)
    const pay = (reference: string, more?: Partial<Order>) =>
      code(ledger.submit(order(from, to, { reference, ...more })))
    const deposit = (toAccountId: string, reference: string) =>
      pay(reference, { kind: 'deposit', fromAccountId: cash, toAccountId, caller })
    const wave = (name: string) => {
      const held = ['a', 'b', 'c'].flatMap((each) => [
        pay(name + each, { fromAccountId: stuck }),
        pay(name + each, { toAccountId: stuck }),
        deposit(stuck, name + each),
      ])
      const others = ['d', 'e', 'f'].flatMap((each) => [pay(name + each), deposit(to, name + each)])
      return Promise.all([Promise.all(held), Promise.all(others)])
    }
    const expected = [Array(9).fill('unavailable'), Array(6).fill('done')]

    assert.deepEqual(await wave('first'), expected)
    // Known by now, it costs its neighbours no time either: nothing waits for its lock.
    const startedAt = performance.now()
    assert.deepEqual(await wave('second'), expected)
    const ms = performance.now() - startedAt
    assert.ok(ms < 1400, `the second wave took ${ms} ms`)
    await letGo()
    assert.equal(await pay('free', { fromAccountId: stuck }), 'done')
    assert.deepEqual([await balance(stuck), await balance(to)], [99n, 13n])
  })
}

test('an account whose holder waits for a stuck one is not taken for stuck', async (t) => {
  const made = await bank(t)
  const { db, account, order, sql } = made
  const [stuck, waiting, free] = [await account(), await account(), await account()]
  await hold(t, made, stuck, 'update')
  const behind = await hold(t, made, waiting, 'no key update')
  const blocked = behind.client.query('select from accounts where id = $1 for update', [stuck])
  blocked.catch(() => {})
  await until('its wait', async () => {
    const rows = await sql(`select 1 from pg_locks where pid = $1 and not granted`, [behind.pid])
    return rows.length > 0
  })
  const accounts = stuckAccounts(db)
  await accounts.find([order(stuck, free), order(waiting, free)])
  const known = [stuck, waiting, free].map((id) => accounts.isKnown(order(id, id)))
  assert.deepEqual(known, [true, false, false])
})
